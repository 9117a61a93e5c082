/** `npm run console:types`: writes the API types of the console. */
import { writeFileSync } from 'node:fs';
import { apiTypesFile, currentApiTypes } from './current-api-types.ts';

writeFileSync(apiTypesFile, await currentApiTypes());

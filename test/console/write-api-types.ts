/** Writes the API types of the console: `npm run console:types`. */
import { writeFileSync } from 'node:fs';
import { apiTypesFile, currentApiTypes } from './current-api-types.ts';

writeFileSync(apiTypesFile, await currentApiTypes());

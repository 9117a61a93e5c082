/** `npm run console:types`: writes the types that the console knows the API by. */
import { writeFileSync } from 'node:fs';
import { apiTypes } from './api-types.ts';
import { apiTypesFile, formatted } from './api-types-file.ts';
import { readApiDocument } from './openapi-document.ts';

writeFileSync(apiTypesFile, await formatted(apiTypes(await readApiDocument())));

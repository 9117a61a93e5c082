import { join } from 'node:path';
import { format } from 'oxfmt';
import formatting from '../../.oxfmtrc.json' with { type: 'json' };
import { apiTypes } from '../../console/api-types.ts';
import { root } from '../support/command.ts';
import { readApiDocument } from './openapi-document.ts';

/** The file of the generated API types. */
export const apiTypesFile = join(root, 'console', 'src', 'api', 'schema.ts');

/** Returns the types of the current API, formatted. */
export async function currentApiTypes(): Promise<string> {
  const source = await apiTypes(await readApiDocument());
  const { code, errors } = await format('schema.ts', source, { singleQuote: true, printWidth: formatting.printWidth });
  if (errors.length > 0) throw new Error(`the API types cannot be formatted: ${errors[0]?.message}`);
  return code;
}

import { join } from 'node:path';
import { format } from 'oxfmt';
import formatting from '../../.oxfmtrc.json' with { type: 'json' };
import { root } from '../support/command.ts';

/** The file of the generated API types. */
export const apiTypesFile = join(root, 'console', 'src', 'api', 'schema.ts');

/** Formats source text as `npm run format` does. */
export async function formatted(source: string): Promise<string> {
  const { code, errors } = await format('schema.ts', source, { singleQuote: true, printWidth: formatting.printWidth });
  if (errors.length > 0) throw new Error(`the API’s types cannot be formatted: ${errors[0]?.message}`);
  return code;
}

import { basename, sep } from 'node:path';
import type { ImportContext } from '../client-reading.ts';

/** Converts the placeholders of a client to references, and notes those that cannot be converted. */
export type ConvertPlaceholders = (text: string, context: ImportContext, note: (text: string) => void) => string;

const variable = '[A-Za-z_][A-Za-z0-9_]*';

/** Handles clients without placeholders. */
export const noPlaceholders: ConvertPlaceholders = (text, _context, note) => {
  if (/\$\{(?!env:)[^}]+\}/.test(text))
    note('contains ${…}, which the client leaves unchanged and Signalbox resolves as a variable');
  return text;
};

/** Converts `${NAME}` and `${NAME:-default}`. */
export const shellBraces: ConvertPlaceholders = (text) =>
  text.replaceAll(new RegExp(String.raw`\$\{(${variable}(?::-[^}]*)?)\}`, 'g'), '$${env:$1}');

/** Converts `$NAME` and `${NAME}`. */
export const shellVariables: ConvertPlaceholders = (text, context, note) =>
  shellBraces(text, context, note).replaceAll(new RegExp(String.raw`\$(${variable})`, 'g'), '$${env:$1}');

/** Converts `${env:NAME}`, `${workspaceFolder}`, `${userHome}` and `${input:id}`. */
export const editorVariables: ConvertPlaceholders = (text, { directory, home }, note) =>
  text.replaceAll(/\$\{([^}]+)\}/g, (whole, inner: string) => {
    if (inner.startsWith('env:')) return whole;
    if (inner.startsWith('input:')) return inputVariable(inner.slice('input:'.length), note);
    if (inner === 'workspaceFolder' || inner.startsWith('workspaceFolder:')) return directory;
    if (inner === 'workspaceFolderBasename') return basename(directory);
    if (inner === 'userHome') return home;
    if (inner === 'pathSeparator' || inner === '/') return sep;
    note(`${whole} is not supported: replace it in the configuration`);
    return whole;
  });

/** Converts `{env:NAME}`. The reader of opencode handles `{file:path}`, because it needs the name of the variable. */
export const bracedEnvironment: ConvertPlaceholders = (text) =>
  text.replaceAll(new RegExp(String.raw`(?<!\$)\{env:(${variable})\}`, 'g'), '$${env:$1}');

function inputVariable(id: string, note: (text: string) => void): string {
  const name = id
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_');
  note(`asks for "${id}": run signalbox secret set ${name}`);
  return `\${secret:${name}}`;
}

import { basename, sep } from 'node:path';
import type { ImportContext } from '../found-server.ts';

/** Turns one client's placeholders into ours, and notes what cannot be turned. */
export type Dialect = (text: string, context: ImportContext, note: (text: string) => void) => string;

const variable = '[A-Za-z_][A-Za-z0-9_]*';

/** The client passes every text on as it is; we would not. */
export const noPlaceholders: Dialect = (text, _context, note) => {
  if (/\$\{(?!env:)[^}]+\}/.test(text))
    note('has ${…}, which that client leaves as it is and Signalbox takes for a variable');
  return text;
};

/** `${NAME}` and `${NAME:-default}`. */
export const shellBraces: Dialect = (text) =>
  text.replaceAll(new RegExp(String.raw`\$\{(${variable}(?::-[^}]*)?)\}`, 'g'), '$${env:$1}');

/** `$NAME` and `${NAME}`. */
export const shellVariables: Dialect = (text, context, note) =>
  shellBraces(text, context, note).replaceAll(new RegExp(String.raw`\$(${variable})`, 'g'), '$${env:$1}');

/** `${env:NAME}`, `${workspaceFolder}`, `${userHome}`, `${input:id}`. */
export const editorVariables: Dialect = (text, { directory, home }, note) =>
  text.replaceAll(/\$\{([^}]+)\}/g, (whole, inner: string) => {
    if (inner.startsWith('env:')) return whole;
    if (inner.startsWith('input:')) return inputVariable(inner.slice('input:'.length), note);
    if (inner === 'workspaceFolder' || inner.startsWith('workspaceFolder:')) return directory;
    if (inner === 'workspaceFolderBasename') return basename(directory);
    if (inner === 'userHome') return home;
    if (inner === 'pathSeparator' || inner === '/') return sep;
    note(`${whole} is not understood and has to be replaced by hand`);
    return whole;
  });

/** `{env:NAME}`; `{file:path}` needs the name of what it fills, so it is dealt with where that is known. */
export const bracedEnvironment: Dialect = (text) =>
  text.replaceAll(new RegExp(String.raw`(?<!\$)\{env:(${variable})\}`, 'g'), '$${env:$1}');

function inputVariable(id: string, note: (text: string) => void): string {
  const name = id
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_');
  note(`asks for "${id}": run signalbox secret set ${name}`);
  return `\${secret:${name}}`;
}

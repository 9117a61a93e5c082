import { commandLinePage } from './command-line.ts';
import { configurationPage } from './configuration.ts';
import { libraryPages } from './library.ts';
import { routesPage } from './routes.ts';

const note = '<!-- Made by `npm run reference`. Do not edit. -->\n\n';

/** The pages of the reference that are made from code, by their name in docs/reference. */
export async function referencePages(): Promise<Map<string, string>> {
  const pages = new Map([
    ['command-line.md', await commandLinePage()],
    ['configuration.md', configurationPage()],
    ['routes.md', await routesPage()],
    ...[...libraryPages()].map(([name, text]): [string, string] => [`library/${name}`, text]),
  ]);
  return new Map([...pages].map(([name, text]) => [name, `${note}${text.trimEnd()}\n`]));
}

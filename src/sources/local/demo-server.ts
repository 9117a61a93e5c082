import { appendFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { type LocalServer, localServer } from './local-server.ts';

const noteName = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/, 'use lowercase letters, digits and "-"')
  .describe('The note, for instance "welcome".');

/**
 * The demo workspace: notes in a directory, with one tool of each kind for first-time users. A read runs at once, a write can
 * be undone, and sending (into an outbox that nobody reads) represents irreversible effects.
 */
export function demoServer(directory: string): LocalServer {
  const fileOf = (name: string): string => join(directory, `${name}.txt`);
  return localServer({
    name: 'demo',
    workspace: [directory],
    tools: [
      defineTool({
        name: 'read_note',
        description: 'Reads a note of the demo workspace.',
        input: z.object({ name: noteName }),
        effect: 'read',
        run: async ({ name }) => {
          try {
            return await readFile(fileOf(name), 'utf8');
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
            throw new Error(`there is no note "${name}"; there are: ${(await notesIn(directory)).join(', ')}`, {
              cause: error,
            });
          }
        },
      }),
      defineTool({
        name: 'write_note',
        description: 'Writes a note of the demo workspace. Can be undone.',
        input: z.object({ name: noteName, text: z.string() }),
        effect: 'undoable',
        run: async ({ name, text }) => {
          await mkdir(directory, { recursive: true });
          await writeFile(fileOf(name), text);
          return `wrote ${text.length} characters to "${name}"`;
        },
      }),
      defineTool({
        name: 'send_note',
        description: 'Sends a note to somebody. Cannot be undone. (In the demo it only goes to an outbox.)',
        input: z.object({ name: noteName, to: z.string().min(1) }),
        effect: 'irreversible',
        run: async ({ name, to }) => {
          const text = await readFile(fileOf(name), 'utf8');
          await appendFile(join(directory, 'outbox.log'), `${JSON.stringify({ to, name, text })}\n`);
          return `sent "${name}" to ${to}`;
        },
      }),
    ],
  });
}

/** Writes the first note to an empty demo workspace. */
export async function prepareDemo(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  if ((await notesIn(directory)).length > 0) return;
  await writeFile(join(directory, 'welcome.txt'), 'Welcome to Signalbox. Every call of a tool passes through here.\n');
}

async function notesIn(directory: string): Promise<string[]> {
  const files = await readdir(directory);
  return files.filter((file) => file.endsWith('.txt')).map((file) => file.slice(0, -'.txt'.length));
}

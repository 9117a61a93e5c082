import { join } from 'node:path';
import type { ReadClient } from '../client-reading.ts';

/** The locations in which to search for the files of clients. */
export interface ImportMachine {
  readonly home: string;
  /** The directory of the project. */
  readonly directory: string;
  readonly platform: NodeJS.Platform;
  /** The directory for settings on Windows, `%APPDATA%`. */
  readonly applicationData?: string;
}

/** A client whose servers can be imported. */
export interface Client {
  readonly id: string;
  readonly title: string;
  /** Returns the files that it may have, in order of precedence. */
  files(machine: ImportMachine): readonly string[];
  /** Loads its parser. Called only when one of the files exists, because some formats need a large parser. */
  load(): Promise<ReadClient>;
}

/** All clients. Servers are named in this order. */
export const clients: readonly Client[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    files: ({ home, directory }) => [
      join(directory, '.mcp.json'),
      join(home, '.claude.json'),
      join(directory, '.claude', 'settings.local.json'),
      join(directory, '.claude', 'settings.json'),
      join(home, '.claude', 'settings.json'),
    ],
    load: async () => (await import('./json-clients.ts')).readClaudeCode,
  },
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    files: (machine) => [join(settingsDirectory(machine), 'Claude', 'claude_desktop_config.json')],
    load: async () => (await import('./json-clients.ts')).readClaudeDesktop,
  },
  {
    id: 'cursor',
    title: 'Cursor',
    files: ({ home, directory }) => [directory, home].map((place) => join(place, '.cursor', 'mcp.json')),
    load: async () => (await import('./json-clients.ts')).readCursor,
  },
  {
    id: 'vscode',
    title: 'VS Code',
    files: (machine) => [
      join(machine.directory, '.vscode', 'mcp.json'),
      join(settingsDirectory(machine), 'Code', 'User', 'mcp.json'),
      join(machine.home, '.copilot', 'mcp-config.json'),
    ],
    load: async () => (await import('./json-clients.ts')).readVisualStudioCode,
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    files: ({ home }) => [join(home, '.codeium', 'windsurf', 'mcp_config.json')],
    load: async () => (await import('./json-clients.ts')).readWindsurf,
  },
  {
    id: 'zed',
    title: 'Zed',
    files: ({ home, directory }) => [
      join(directory, '.zed', 'settings.json'),
      join(home, '.config', 'zed', 'settings.json'),
    ],
    load: async () => (await import('./json-clients.ts')).readZed,
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    files: ({ home, directory }) => [directory, home].map((place) => join(place, '.gemini', 'settings.json')),
    load: async () => (await import('./json-clients.ts')).readGemini,
  },
  {
    id: 'codex',
    title: 'Codex',
    files: ({ home, directory }) => [directory, home].map((place) => join(place, '.codex', 'config.toml')),
    load: async () => (await import('./codex.ts')).readCodex,
  },
  {
    id: 'opencode',
    title: 'opencode',
    files: ({ home, directory }) =>
      [directory, join(home, '.config', 'opencode')].flatMap((place) =>
        ['opencode.json', 'opencode.jsonc'].map((name) => join(place, name)),
      ),
    load: async () => (await import('./json-clients.ts')).readOpencode,
  },
  {
    // Last: its parser takes the longest to load.
    id: 'goose',
    title: 'Goose',
    files: ({ home }) => [join(home, '.config', 'goose', 'config.yaml')],
    load: async () => (await import('./goose.ts')).readGoose,
  },
];

function settingsDirectory({ home, platform, applicationData }: ImportMachine): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return applicationData ?? join(home, 'AppData', 'Roaming');
  return join(home, '.config');
}

/** The architecture page as data: which folder may import which, and which folders may import each third-party package. */

const innerRing = ['catalog', 'policy', 'workspace', 'redaction', 'journal'];
const core = ['core', ...innerRing, 'pipeline'];
const outerRing = ['sources', 'surfaces', 'runtimes', 'sessions', 'store'];

/** A folder, or a file between the folders, and what it may import in addition to itself. */
export const allowedImports: Readonly<Record<string, readonly string[]>> = {
  core: [],
  catalog: ['core'],
  policy: ['core'],
  workspace: ['core'],
  redaction: ['core'],
  journal: ['core', 'redaction'],

  config: ['core', 'catalog', 'policy', 'redaction', 'journal'],
  pipeline: ['core', ...innerRing],
  access: ['core', 'redaction', 'journal'],
  process: ['core'],

  sources: [...core, 'process'],
  surfaces: [...core, 'process'],
  runtimes: [...core, 'process', 'surfaces'],
  sessions: [...core, 'runtimes'],
  store: core,
  testing: ['signalbox', ...core],

  signalbox: [...core, 'access', ...outerRing, 'config'],
  'index.ts': ['signalbox', 'process', ...core, 'access', 'sources', 'store'],

  server: ['signalbox', ...core, 'access', ...outerRing, 'config', 'testing'],
  host: ['signalbox', ...core, 'access', 'process', ...outerRing, 'config', 'server', 'testing'],
  cli: ['signalbox', ...core, 'access', 'process', ...outerRing, 'config', 'host', 'server', 'testing'],
};

/** Packages (a trailing `*` matches the rest of the name) and the only folders that may import them. */
export const packageFolders: readonly { readonly packages: readonly string[]; readonly folders: readonly string[] }[] =
  [
    { packages: ['@modelcontextprotocol/*'], folders: ['sources/mcp', 'surfaces/mcp'] },
    { packages: ['@anthropic-ai/*'], folders: ['runtimes/claude', 'surfaces/claude'] },
    { packages: ['ai', '@ai-sdk/*'], folders: ['runtimes/model', 'surfaces/ai-sdk'] },
    { packages: ['hono', '@hono/*'], folders: ['server', 'surfaces/mcp'] },
    { packages: ['jose'], folders: ['server/access/oauth', 'sources/mcp/http/oauth'] },
    { packages: ['node:sqlite'], folders: ['store/sqlite', 'core/locks'] },
    { packages: ['@napi-rs/keyring'], folders: ['config/secrets'] },
    { packages: ['pg', 'pg-*'], folders: ['store/postgres'] },
    { packages: ['undici', 'eventsource-parser'], folders: ['sources/mcp/http'] },
    { packages: ['ajv', 'ajv-formats'], folders: ['catalog'] },
    { packages: ['@marcbachmann/cel-js'], folders: ['policy'] },
    { packages: ['unbash'], folders: ['policy'] },
    { packages: ['yaml'], folders: ['policy', 'config'] },
  ];

/** Folders that import no packages; Node itself is allowed. */
export const foldersWithoutPackages: readonly string[] = ['core'];

/**
 * The files that may read environment variables. Everything else is passed values from `host/environment.ts`; the others pass
 * variables on to programs and threads, or belong to the terminal.
 */
export const environmentReaders: readonly string[] = [
  'host/environment.ts',
  'cli/terminal/terminal.ts',
  'cli/terminal/invocation.ts',
  'cli/terminal/open-browser.ts',
  'process/minimal-environment.ts',
  'runtimes/claude/shared/installation.ts',
  'runtimes/model/providers/choose-model.ts',
  'sources/local/isolate/isolate-worker.ts',
  'sources/local/isolate/thread.ts',
  'workspace/undo-thread.ts',
];

/** Words that name no concept. */
export const meaninglessWords: readonly string[] = [
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'manager',
  'managers',
];

/** The maximum number of lines of a source file. */
export const maxFileLines = 500;

/** What an edit of a key must do before the configuration has to be accepted again. */
export type AsksWhen =
  /** A value is added or replaced: the key grants something. */
  | 'added'
  /** A value is removed or replaced: the key restricts something. */
  | 'removed'
  /** Any edit: both directions can grant something. */
  | 'changed'
  /** The list is removed or gets an element: without the list, everything is selected. */
  | 'widened'
  /** By effect: `read` grants, `irreversible` restricts, the others do both. */
  | 'effect'
  /** Never: the key grants and restricts nothing. */
  | 'never';

/** The heading under which a capability is shown. */
export type Section = 'run' | 'load' | 'contact' | 'read' | 'allow' | 'apply' | 'set';

/** How a key of the configuration counts for trust. */
export interface KeyAuthority {
  readonly asks: AsksWhen;
  readonly section: Section;
  /** Each entry of the object or list counts on its own. */
  readonly each?: true;
  /** Keys of one object with the same unit make one capability: a program without its arguments is another program. */
  readonly unit?: string;
}

const never: KeyAuthority = { asks: 'never', section: 'set' };
const setting = (asks: AsksWhen): KeyAuthority => ({ asks, section: 'set' });
const program: KeyAuthority = { asks: 'changed', section: 'run', unit: 'program' };
const module: KeyAuthority = { asks: 'changed', section: 'load', unit: 'module' };
const address: KeyAuthority = { asks: 'changed', section: 'contact' };

/**
 * Every key of the configuration by its path, or a key above it. A key that is missing here counts as `changed`, so that a new key
 * asks until somebody has decided about it; a test names it.
 */
const table: Readonly<Record<string, KeyAuthority>> = {
  $schema: never,
  'mcpServers.*.command': program,
  'mcpServers.*.args': program,
  'mcpServers.*.npm': program,
  'mcpServers.*.cwd': program,
  'mcpServers.*.env': { asks: 'changed', section: 'run', each: true },
  'mcpServers.*.module': module,
  'mcpServers.*.export': module,
  'mcpServers.*.type': never,
  'mcpServers.*.url': address,
  'mcpServers.*.headers': { asks: 'changed', section: 'contact', each: true },
  'mcpServers.*.auth': { asks: 'added', section: 'contact' },
  'mcpServers.*.tools.allow': setting('widened'),
  'mcpServers.*.tools.deny': { asks: 'removed', section: 'set', each: true },
  // Rules name tools.
  'mcpServers.*.tools.rename': setting('changed'),
  'mcpServers.*.tools.describe': never,
  'mcpServers.*.tools.title': never,
  'mcpServers.*.tools.prefix': never,
  'mcpServers.*.tools.arguments': setting('changed'),
  'mcpServers.*.tools.effect': { asks: 'effect', section: 'allow', each: true },
  // Calls whose arguments are not checked.
  'mcpServers.*.tools.schema': { asks: 'added', section: 'allow', each: true },
  'mcpServers.*.tools.providerOptions': setting('added'),
  'mcpServers.*.tools.labels': setting('changed'),
  'mcpServers.*.tools.results': never,
  'mcpServers.*.labels': setting('changed'),
  'mcpServers.*.disabled': setting('removed'),
  'mcpServers.*.required': never,
  'mcpServers.*.timeoutMs': never,
  'mcpServers.*.concurrency': never,
  'mcpServers.*.rateLimit': setting('removed'),
  'mcpServers.*.cache': never,
  // Calls can be undone there, and the server is told to work there.
  'mcpServers.*.workspace': setting('changed'),
  'mcpServers.*.roots': setting('changed'),
  'mcpServers.*.results': never,
  'mcpServers.*.idleStopMs': never,
  // `false` takes changed definitions as they come.
  'mcpServers.*.pin': { asks: 'changed', section: 'allow' },
  'mcpServers.*.passthrough': { asks: 'added', section: 'allow' },
  'mcpServers.*.trackInvocations': setting('changed'),
  // Rules are compared one by one, wherever they are written.
  policies: never,
  store: { asks: 'added', section: 'contact' },
  results: never,
  undo: setting('added'),
  approvals: setting('added'),
  retention: setting('added'),
  startup: never,
  'builtin.name': setting('changed'),
  'profiles.*.servers': setting('widened'),
  'profiles.*.tools': setting('changed'),
  'profiles.*.disclosure': never,
  'profiles.*.names': never,
  'profiles.*.trustsHuman': { asks: 'added', section: 'allow' },
  'agents.default': setting('changed'),
  'agents.*.runtime': setting('changed'),
  'agents.*.model': { asks: 'added', section: 'contact' },
  'agents.*.instructions': never,
  'agents.*.profile': setting('changed'),
  'agents.*.cwd': { asks: 'changed', section: 'run' },
  'agents.*.permissionMode': { asks: 'changed', section: 'allow' },
  'agents.*.limits': setting('removed'),
  'agents.*.env': { asks: 'changed', section: 'run', each: true },
  'agents.*.settingSources': { asks: 'added', section: 'load', each: true },
  'agents.*.toolSearch': never,
  'agents.*.executable': { asks: 'changed', section: 'run' },
  'agents.*.providers': { asks: 'added', section: 'contact', each: true },
  'oauth.url': { asks: 'added', section: 'contact' },
  'oauth.issuers': { asks: 'added', section: 'allow', each: true },
  // The listed parts are hidden in the record, and the rest is not.
  secrets: { asks: 'changed', section: 'read' },
};

export const keyAuthorities: ReadonlyMap<string, KeyAuthority> = new Map(Object.entries(table));

/** How a key counts that the table does not have. */
export const unknownKey: KeyAuthority = setting('changed');

/** Objects whose entries have their own names, with the entries that everything in them belongs to. */
export const namedEntries: ReadonlySet<string> = new Set(['mcpServers', 'profiles', 'agents']);

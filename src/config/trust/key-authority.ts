/** The edits of a key after which the configuration has to be accepted again. */
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
  /** The number or duration exceeds the accepted one, or the default limit: the key limits something. */
  | 'raised'
  /** Never: the key grants and restricts nothing. */
  | 'never';

/** The heading under which a capability is shown. */
export type Section = 'run' | 'load' | 'contact' | 'read' | 'allow' | 'apply' | 'show' | 'set';

/** Decides which edits of a configuration key have to be accepted. */
export interface KeyAuthority {
  readonly asks: AsksWhen;
  readonly section: Section;
  /** Whether each entry of the object or list counts separately. */
  readonly each?: true;
  /** Keys of one object with the same unit form one capability, because a program with other arguments is a different program. */
  readonly unit?: string;
  /** With `raised`: the default limit, in milliseconds for a duration; `outer` when another setting defines it. */
  readonly absent?: number | 'outer';
}

const never: KeyAuthority = { asks: 'never', section: 'set' };
const setting = (asks: AsksWhen): KeyAuthority => ({ asks, section: 'set' });
const program: KeyAuthority = { asks: 'changed', section: 'run', unit: 'program' };
const module: KeyAuthority = { asks: 'changed', section: 'load', unit: 'module' };
const address: KeyAuthority = { asks: 'changed', section: 'contact' };
/** Text that models or approvers read. */
const text: KeyAuthority = { asks: 'changed', section: 'show' };
const limit = (absent: number | 'outer'): KeyAuthority => ({ asks: 'raised', section: 'set', absent });

/**
 * Every key of the configuration by its path, or a parent key. A key that is missing here counts as `changed`, so that edits of a new key
 * have to be accepted until it is classified; a test reports it.
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
  'mcpServers.*.tools.describe': { ...text, each: true },
  'mcpServers.*.tools.title': { ...text, each: true },
  'mcpServers.*.tools.prefix': { asks: 'removed', section: 'show' },
  'mcpServers.*.tools.arguments': setting('changed'),
  'mcpServers.*.tools.effect': { asks: 'effect', section: 'allow', each: true },
  // Allows calls whose arguments are not checked.
  'mcpServers.*.tools.schema': { asks: 'added', section: 'allow', each: true },
  'mcpServers.*.tools.providerOptions': setting('changed'),
  'mcpServers.*.tools.labels': setting('changed'),
  'mcpServers.*.tools.results.*.maxBytes': limit('outer'),
  'mcpServers.*.tools.results.*.maxMediaBytes': limit('outer'),
  'mcpServers.*.labels': setting('changed'),
  'mcpServers.*.disabled': setting('removed'),
  'mcpServers.*.required': setting('removed'),
  'mcpServers.*.timeoutMs': limit(60_000),
  'mcpServers.*.concurrency': limit(64),
  'mcpServers.*.rateLimit.max': limit(Infinity),
  // A shorter period allows more calls.
  'mcpServers.*.rateLimit.per': setting('removed'),
  // The maximum age of the result of a read.
  'mcpServers.*.cache': limit(0),
  // Calls can be undone there, and the server receives it as its working directory.
  'mcpServers.*.workspace': setting('changed'),
  'mcpServers.*.roots': setting('changed'),
  'mcpServers.*.results.maxBytes': limit('outer'),
  'mcpServers.*.results.maxMediaBytes': limit('outer'),
  'mcpServers.*.idleStopMs': limit(Infinity),
  // `false` accepts changed definitions without review.
  'mcpServers.*.pin': { asks: 'changed', section: 'allow' },
  'mcpServers.*.passthrough': { asks: 'added', section: 'allow' },
  'mcpServers.*.trackInvocations': setting('changed'),
  // Rules are compared one by one, regardless of their location.
  policies: never,
  // Another store has different pins, counts and records.
  store: { asks: 'changed', section: 'contact' },
  'results.maxBytes': limit(262_144),
  'results.maxMediaBytes': limit(5_242_880),
  // A higher value uses more space; with a lower one, fewer calls can be undone.
  undo: { asks: 'changed', section: 'set', each: true },
  'approvals.expireAfter': limit(2 * 60 * 60 * 1000),
  retention: setting('added'),
  'startup.concurrency': limit(4),
  'startup.wait': limit(8000),
  'builtin.name': setting('changed'),
  'profiles.*.servers': setting('widened'),
  'profiles.*.tools': setting('changed'),
  // The same tools, listed or searched for.
  'profiles.*.disclosure': never,
  'profiles.*.names': text,
  'profiles.*.trustsHuman': { asks: 'added', section: 'allow' },
  'agents.default': setting('changed'),
  'agents.*.runtime': setting('changed'),
  'agents.*.model': { asks: 'changed', section: 'contact' },
  'agents.*.instructions': text,
  'agents.*.profile': setting('changed'),
  'agents.*.cwd': { asks: 'changed', section: 'run' },
  'agents.*.permissionMode': { asks: 'changed', section: 'allow' },
  // Without it, the runtime applies its own limit.
  'agents.*.limits.steps': limit('outer'),
  'agents.*.limits.costUsd': limit(Infinity),
  'agents.*.limits.tokens': limit(Infinity),
  'agents.*.limits.time': limit(Infinity),
  'agents.*.env': { asks: 'changed', section: 'run', each: true },
  'agents.*.settingSources': { asks: 'added', section: 'load', each: true },
  // The same tools, listed or searched for.
  'agents.*.toolSearch': never,
  'agents.*.executable': { asks: 'changed', section: 'run' },
  'agents.*.providers': { asks: 'changed', section: 'contact', each: true },
  'oauth.url': { asks: 'added', section: 'contact' },
  'oauth.issuers': { asks: 'added', section: 'allow', each: true },
  // The listed parts are hidden in the record; the rest is visible.
  secrets: { asks: 'changed', section: 'read' },
};

export const keyAuthorities: ReadonlyMap<string, KeyAuthority> = new Map(Object.entries(table));

/** Applies to keys that are not in the table. */
export const unknownKey: KeyAuthority = setting('changed');

/** Objects whose entries have their own names. */
export const namedEntries: ReadonlySet<string> = new Set([
  'mcpServers',
  'mcpServers.*.tools.results',
  'profiles',
  'agents',
]);

import { basename } from 'node:path';
import type { ClientReading, ClientServer, ImportContext, ImportedEntry, SkippedServer } from '../client-reading.ts';
import {
  type SecretHolder,
  protectedArguments,
  protectedUrl,
  protectedValue,
  withoutPatterns,
} from '../protected-secrets.ts';
import { type ClientDocument, type ServerFields, fieldsOf } from './client-document.ts';
import type { ConvertPlaceholders } from './placeholders.ts';
import type { ServerDraft } from './server-draft.ts';

/** The format of servers in the file of a client. */
export interface ClientShape {
  /** The path of the servers in the document. */
  readonly path: readonly string[];
  readonly placeholders: ConvertPlaceholders;
  /** Reads an entry. Returns a text with the reason when it cannot be imported. */
  draft(entry: ServerFields, name: string): ServerDraft | string;
}

/** Reads all servers at one path of a client's document. */
export function readServers(document: ClientDocument, shape: ClientShape, context: ImportContext): ClientReading {
  const holder = shape.path.reduce<ServerFields>(
    (outer, key) => fieldsOf(Object.hasOwn(outer, key) ? outer[key] : {}),
    document.root,
  );
  const servers: ClientServer[] = [];
  const skipped: SkippedServer[] = [];
  for (const [name, value] of Object.entries(holder)) {
    const line = context.withoutLines === true ? 0 : document.lineOf([...shape.path, name]);
    const isEntry = typeof value === 'object' && value !== null && !Array.isArray(value);
    const draft = isEntry ? shape.draft(fieldsOf(value), name) : 'it is not an object';
    const reason = typeof draft === 'string' ? draft : unusable(draft);
    if (reason !== undefined || typeof draft === 'string') skipped.push({ name, line, reason: reason ?? '' });
    else servers.push({ name, line, ...normalized(name, draft, shape.placeholders, context), ...permissions(draft) });
  }
  return { servers, skipped, problems: [] };
}

/** Merges several readings of one file. */
export function mergeReadings(readings: readonly ClientReading[]): ClientReading {
  return {
    servers: readings.flatMap(({ servers }) => servers),
    skipped: readings.flatMap(({ skipped }) => skipped),
    problems: readings.flatMap(({ problems }) => problems),
  };
}

function permissions({ permissions: given = [] }: ServerDraft): Pick<ClientServer, 'permissions'> {
  return given.length === 0 ? {} : { permissions: given };
}

function unusable({ command, args = [], url, headers = {}, type }: ServerDraft): string | undefined {
  if (command === undefined && url === undefined) return 'it has neither a command nor an address';
  if (type !== undefined && /^(?:ws|websocket)/i.test(type)) return 'WebSocket is not supported';
  if (url !== undefined && !/^https?:\/\//i.test(url) && !/^\$?\{|^\$/.test(url))
    return 'its address is not http or https';
  const words = [basename(command ?? ''), ...args];
  const isStarted = words.some((word) => /^signalbox(?:@[\w.-]+)?$/.test(basename(word))) && words.includes('stdio');
  // The header that `serve` prints for clients.
  const isReached = Object.values(headers).some((value) => /^Bearer sbx_/i.test(value));
  return isStarted || isReached ? 'it is Signalbox itself' : undefined;
}

function normalized(
  server: string,
  draft: ServerDraft,
  placeholders: ConvertPlaceholders,
  context: ImportContext,
): Pick<ClientServer, 'entry' | 'notes'> {
  const notes = new Set(draft.notes);
  const note = (text: string): void => void notes.add(text);
  const holder: SecretHolder = { server, secrets: context.secrets, note };
  const converted = (text: string): string => placeholders(text, context, note);
  const values = (texts: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, protectedValue(key, converted(text), holder)]));
  const common = { ...limits(draft), ...tools(draft), ...(draft.disabled === true && { disabled: true as const }) };

  let entry: ImportedEntry;
  if (draft.url === undefined) {
    const { command = '', args, env, cwd } = draft;
    entry = {
      command: withoutPatterns(converted(command), holder),
      ...(args !== undefined && args.length > 0 && { args: protectedArguments(args.map(converted), holder) }),
      ...some('env', values(withoutLoaders(env, note))),
      ...(cwd !== undefined && { cwd: converted(cwd) }),
      ...common,
    };
  } else {
    const { url, type, headers, bearerVariable } = draft;
    entry = {
      type: isSse(url, type) ? 'sse' : 'http',
      url: protectedUrl(converted(url), holder),
      ...some('headers', values(headers)),
      ...(bearerVariable !== undefined && { auth: { type: 'bearer', token: `\${env:${bearerVariable}}` } }),
      ...common,
    };
  }
  return { entry, notes: [...notes] };
}

function isSse(url: string, type: string | undefined): boolean {
  return type === undefined ? /\/sse\/?(?:[?#]|$)/.test(url) : type.toLowerCase() === 'sse';
}

function limits({ timeoutMs }: ServerDraft): { readonly timeoutMs?: number } {
  const rounded = Math.round(timeoutMs ?? 0);
  return rounded > 0 && Number.isSafeInteger(rounded) ? { timeoutMs: rounded } : {};
}

function tools({ allow, deny }: ServerDraft): Pick<ImportedEntry, 'tools'> {
  const allowed = allow?.filter((name) => name !== '');
  const denied = deny?.filter((name) => name !== '') ?? [];
  if (allowed === undefined && denied.length === 0) return {};
  return { tools: { ...(allowed !== undefined && { allow: allowed }), ...(denied.length > 0 && { deny: denied }) } };
}

/** Variables that make a program load code that its command does not name. */
const loader =
  /^(?:LD_.*|DYLD_.*|NODE_OPTIONS|BASH_ENV|ENV|PYTHONSTARTUP|PYTHONHOME|PYTHONINSPECT|RUBYOPT|PERL5OPT|PERL5DB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|GIT_SSH_COMMAND|NPM_CONFIG_(?:NODE_OPTIONS|SCRIPT_SHELL))$/i;

function withoutLoaders(
  env: Readonly<Record<string, string>> = {},
  note: (text: string) => void,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(([key]) => {
      if (!loader.test(key)) return true;
      note(`${key} is not copied: it makes a program load other code`);
      return false;
    }),
  );
}

function some(key: 'env' | 'headers', texts: Readonly<Record<string, string>>): Pick<ImportedEntry, 'env' | 'headers'> {
  return Object.keys(texts).length === 0 ? {} : { [key]: texts };
}

import {
  type SettingsSchema,
  describedConfigurationSchema,
  eachKey,
} from '../../../src/config/schema/key-descriptions.ts';
import { getOrInsert } from '../../../src/core/get-or-insert.ts';
import { cell } from './markdown.ts';

interface Section {
  readonly title: string;
  /** The prefix of the keys in this section; the longest matching prefix is used. */
  readonly under: string;
  readonly text: string;
}

const sections: readonly Section[] = [
  { title: 'The document', under: '', text: '' },
  {
    title: 'Servers: `mcpServers.NAME`',
    under: 'mcpServers.*.',
    text: 'Each server has exactly one of the keys `module`, `command`, `url` and `npm`.',
  },
  {
    title: 'Credentials: `mcpServers.NAME.auth`',
    under: 'mcpServers.*.auth.',
    text: 'For servers with `url`. See [signing in](../guide/gateway.md#servers-that-need-credentials).',
  },
  {
    title: 'Tools: `mcpServers.NAME.tools`',
    under: 'mcpServers.*.tools.',
    text: [
      'These keys change how the tools of a server are listed. Calls are translated back: a renamed tool is called under its own name on the server.',
      'The keys of `describe`, `title`, `arguments`, `effect`, `providerOptions` and `labels` are names or patterns of tools (`*` matches any characters): the server’s own name, the new name, or the [full name](policy.md#names-of-tools). An exact name takes precedence over a pattern, a pattern with more letters over one with fewer, and the first of two patterns with equally many letters over the second. Labels of all matching keys are combined. `signalbox doctor`, `signalbox serve` and `signalbox tools --why` report a key that matches no tool of its server.',
    ].join('\n\n'),
  },
  { title: 'Profiles: `profiles.NAME`', under: 'profiles.*.', text: 'See [profiles](agents.md#profiles).' },
  { title: 'Agents: `agents.NAME`', under: 'agents.*.', text: 'See [agents](agents.md#agents).' },
  {
    title: 'Clients that sign in: `oauth`',
    under: 'oauth.',
    text: 'See [signing in with OAuth](mcp.md#signing-in-with-oauth).',
  },
];

/** Returns the reference page of the configuration, from its schema. */
export function configurationPage(): string {
  const rows = new Map<Section, Map<string, SettingsSchema[]>>();
  eachKey(describedConfigurationSchema(), (path, part) => {
    const section = sections
      .filter(({ under }) => path.startsWith(under))
      .toSorted((one, other) => other.under.length - one.under.length)[0];
    if (section === undefined) return;
    const key = path.slice(section.under.length).replaceAll('.[]', '[]').replaceAll('*', 'NAME');
    const parts = getOrInsert(rows, section, () => new Map<string, SettingsSchema[]>());
    getOrInsert(parts, key, () => []).push(part);
  });
  const rowsOf = (section: Section): string =>
    [...(rows.get(section) ?? [])]
      .map(([key, parts]) => `| \`${key}\` | ${cell(formOfAll(parts))} | ${cell(parts[0]?.description ?? '')} |`)
      .join('\n');
  return [
    '# Configuration\n',
    'This page lists every key of the configuration file.\n',
    'Signalbox uses the nearest `signalbox.config.json` (or `.jsonc`), in the current directory or above, or the file that `--config` names. Comments and trailing commas are allowed. `signalbox init` writes a first file, with its schema for editors, and `signalbox doctor` checks the file. `serve` applies changes of the file while it runs. An invalid file changes nothing, and `serve` reports the error with its line. A file from somebody else must be accepted first with `signalbox trust` ([trust](../guide/gateway.md#trust-a-configuration)).\n',
    'A duration is a number with a unit: `500ms`, `90s`, `15m`, `1h`, `7d`. A reference is `${env:NAME}` (or `${NAME}`) or `${secret:NAME}`, optionally with a default, as in `${NAME:-x}`. References are resolved when Signalbox connects to a server, or when a turn starts. A reference that cannot be resolved is an error that names it.\n',
    ...sections.flatMap((section) => [
      `## ${section.title}\n`,
      ...(section.text === '' ? [] : [`${section.text}\n`]),
      `| key | type | meaning |\n|---|---|---|\n${rowsOf(section)}\n`,
    ]),
  ].join('\n');
}

/** Returns the type of a key that several kinds of an entry have, such as `type` of `auth`. */
function formOfAll(parts: readonly SettingsSchema[]): string {
  const areChoices = parts.every((part) => part.const !== undefined || part.enum !== undefined);
  return [...new Set(parts.map(formOf))].join(areChoices ? ' · ' : ', or ');
}

/** Returns the type of a key’s value, as text. */
function formOf(schema: SettingsSchema): string {
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(' · ');
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (choices.length > 0) return [...new Set(choices.map(formOf))].join(', or ');
  if (schema.type === 'array') return `list of ${schema.items === undefined ? 'anything' : pluralOf(schema.items)}`;
  return schema.type === 'integer'
    ? 'whole number'
    : schema.type === 'boolean'
      ? '`true`, `false`'
      : (schema.type ?? '');
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function pluralOf(items: SettingsSchema): string {
  const form = formOf(items);
  return ['string', 'object'].includes(form) ? `${form}s` : form;
}

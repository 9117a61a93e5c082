import {
  type SettingsSchema,
  describedConfigurationSchema,
  eachKey,
} from '../../../src/config/schema/key-descriptions.ts';
import { cell } from './markdown.ts';

interface Section {
  readonly title: string;
  /** The keys that stand in it, by the beginning of their path; the longest beginning counts. */
  readonly under: string;
  readonly text: string;
}

const sections: readonly Section[] = [
  { title: 'The document', under: '', text: '' },
  {
    title: 'Servers: `mcpServers.NAME`',
    under: 'mcpServers.*.',
    text: 'Each has exactly one of `module`, `command`, `url` and `npm`.',
  },
  {
    title: 'Who is asking: `mcpServers.NAME.auth`',
    under: 'mcpServers.*.auth.',
    text: 'For servers with `url`. See [signing in](../guide/gateway.md#servers-that-need-credentials).',
  },
  {
    title: 'How tools are offered: `mcpServers.NAME.tools`',
    under: 'mcpServers.*.tools.',
    text: [
      'Listings and calls go through it in both directions: a renamed tool is still called by its own name at the server.',
      'The keys of `describe`, `title`, `arguments`, `effect`, `providerOptions` and `labels` are names of tools or patterns of them (`*` stands for any characters): the server’s own name, the new one, or the [full one](policy.md#names-of-tools). An exact name beats a pattern, a pattern with more letters one with fewer, and of two with equally many the first holds. Labels add up instead. `signalbox doctor`, `signalbox serve` and `signalbox tools --why` report a key that fits no tool of its server.',
    ].join('\n\n'),
  },
  { title: 'Profiles: `profiles.NAME`', under: 'profiles.*.', text: 'Explained in [agents.md](agents.md#profiles).' },
  { title: 'Agents: `agents.NAME`', under: 'agents.*.', text: 'Explained in [agents.md](agents.md#agents).' },
  {
    title: 'Clients that sign in: `oauth`',
    under: 'oauth.',
    text: 'Explained in [mcp.md](mcp.md#signing-in-with-oauth).',
  },
];

/** The page about the configuration, from its schema. */
export function configurationPage(): string {
  const rows = new Map<Section, string[]>();
  const seen = new Set<string>();
  eachKey(describedConfigurationSchema(), (path, part) => {
    const section = sections
      .filter(({ under }) => path.startsWith(under))
      .toSorted((one, other) => other.under.length - one.under.length)[0];
    if (section === undefined || seen.has(path)) return;
    seen.add(path);
    const key = path.slice(section.under.length).replaceAll('.[]', '[]').replaceAll('*', 'NAME');
    const row = `| \`${key}\` | ${cell(formOf(part))} | ${cell(part.description ?? '')} |`;
    rows.set(section, [...(rows.get(section) ?? []), row]);
  });
  return [
    '# Configuration\n',
    'The nearest `signalbox.config.json` (or `.jsonc`), from the current directory upwards, or what `--config` names. Comments and',
    'trailing commas are allowed. `signalbox init` writes one to start from, with its schema for editors. `serve` follows the file',
    'while it runs; a mistake in it changes nothing and is told with its line. `signalbox doctor` checks it. A file that you did not write is used after',
    '`signalbox trust` ([what asks, and what does not](../guide/gateway.md#trust-a-configuration)).\n',
    'Durations are a number with a unit: `500ms`, `90s`, `15m`, `1h`, `7d`. References, `${env:NAME}` (or `${NAME}`) and `${secret:NAME}`, also with a',
    'default as in `${NAME:-x}`, are resolved when a server is connected to or a turn begins; one that cannot be is an error that names it.\n',
    ...sections.flatMap((section) => [
      `## ${section.title}\n`,
      ...(section.text === '' ? [] : [`${section.text}\n`]),
      `| key | type | meaning |\n|---|---|---|\n${(rows.get(section) ?? []).join('\n')}\n`,
    ]),
  ].join('\n');
}

/** What can be written for a key. */
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

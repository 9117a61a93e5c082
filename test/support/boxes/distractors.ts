import type { ToolDefinition } from '../../../src/core/tools/tool.ts';
import { seeded } from '../seeded.ts';

const services = (
  'jira github gitlab slack stripe salesforce hubspot zendesk notion gmail calendar drive dropbox kubernetes datadog shopify twilio ' +
  'linear figma airtable trello asana snowflake bigquery sentry'
).split(' ');
const verbs: readonly [string, string][] = [
  ['list', 'Lists'],
  ['get', 'Returns'],
  ['create', 'Creates'],
  ['update', 'Updates'],
  ['delete', 'Deletes'],
  ['search', 'Searches'],
  ['archive', 'Archives'],
  ['export', 'Exports'],
  ['assign', 'Assigns'],
  ['share', 'Shares'],
];
const nouns = (
  'issue invoice customer ticket channel message page dashboard deployment order payment event contact campaign report board card ' +
  'comment label milestone workspace project task attachment document record spreadsheet alert incident subscription'
).split(' ');
const extras = [
  '',
  ' Needs write access.',
  ' Results come page by page.',
  ' Runs in the background.',
  ' Use with care.',
];

/** Returns plausible tools of other services, always the same, which a search must not confuse with the right one. */
export function distractors(count: number): ToolDefinition[] {
  const next = seeded(20_261_115);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item;
  const tools = new Map<string, ToolDefinition>();
  while (tools.size < count) {
    const [server, [verb, says], noun] = [pick(services), pick(verbs), pick(nouns)];
    const tool = `${verb}_${noun}${verb === 'list' || verb === 'search' ? 's' : ''}`;
    const name = `mcp__${server}__${tool}`;
    const properties = { [`${noun}_id`]: { type: 'string' }, [pick(['query', 'title', 'body', 'limit'])]: {} };
    tools.set(name, {
      id: { server, tool },
      name,
      description: `${says} ${noun}s in ${server}, by ${pick(['name', 'owner', 'date', 'status'])}.${pick(extras)}`,
      inputSchema: { type: 'object', properties },
      annotations: {},
      effect: 'irreversible',
      idempotent: false,
      labels: [],
      definitionHash: name,
    });
  }
  return [...tools.values()];
}

import { type StepOutcome, stepNames } from './clients/steps.ts';
import type { ClientResult } from './clients/try-clients.ts';
import type { ServerResult } from './try-server.ts';

const maxShownDifferences = 10;

/** One line about a server, for a terminal. */
export function serverLine({ name, package: spec, counts, differences, failure }: ServerResult): string {
  const outcome =
    failure !== undefined
      ? `failed: ${firstLine(failure)}`
      : differences.length === 0
        ? 'equal'
        : `${differences.length} differences`;
  const seen =
    counts === undefined
      ? ''
      : `${counts.tools} tools, ${counts.prompts} prompts, ${counts.resources} resources, ${counts.requests} requests`;
  return `${name.padEnd(24)} ${spec.padEnd(52)} ${seen.padEnd(52)} ${outcome}`;
}

/** One line about a client, for a terminal. */
export function clientLine({ name, steps }: ClientResult): string {
  return `${name.padEnd(28)} ${stepNames.map((step) => `${step} ${mark(steps[step])}`).join('  ')}`;
}

/** Every unexplained difference and failed step, a few lines each. */
export function problemsOf(servers: readonly ServerResult[], clients: readonly ClientResult[]): string[] {
  return [
    ...servers.flatMap(({ name, failure, differences }) => [
      ...(failure === undefined ? [] : [`${name}: ${failure}`]),
      ...differences
        .slice(0, maxShownDifferences)
        .map(({ path, bare, behind }) => `${name}: ${path}\n    bare:   ${bare}\n    behind: ${behind}`),
      ...(differences.length > maxShownDifferences
        ? [`${name}: ${differences.length - maxShownDifferences} more differences; --json shows all`]
        : []),
    ]),
    ...clients.flatMap(({ name, steps }) =>
      stepNames.flatMap((step) => {
        const outcome = steps[step];
        return outcome.kind === 'failed' ? [`${name}: ${step}: ${outcome.reason}`] : [];
      }),
    ),
  ];
}

/** The page of the documentation. */
export function compatibilityPage(servers: readonly ServerResult[], clients: readonly ClientResult[]): string {
  const total = servers.reduce((sum, { counts }) => sum + (counts?.tools ?? 0), 0);
  return `<!-- Made by \`npm run field -- --page\`. Do not edit. -->

# Compatibility

This page lists the published MCP servers and clients that were tried with Signalbox between them, and the results.

\`\`\`
npm run field                  # installs them from npm into a cache, tries all of them, prints these tables
npm run field -- --only NAME   # one of them
\`\`\`

## Servers

Each server is started bare and behind \`signalbox serve\`, with dummy keys and without name resolution. A client with all capabilities compares
the initialize result, tools, prompts, resources and templates, and the answers to a few harmless calls, reads and prompts. "equal"
means deep equality, except for what [the endpoint](reference/mcp.md) documents: names, Signalbox's own initialize result, \`readOnlyHint\`.

${servers.length} servers, ${total} tools.

| server | package | tools | prompts | resources | requests | behind Signalbox |
|---|---|---|---|---|---|---|
${servers.map(serverRow).join('\n')}

## Clients

Each client is driven against \`signalbox serve\` or \`signalbox stdio\`: list the tools, call one that reads, one that a human approves, one that a
human denies, cancel a call, receive progress, answer a question (elicitation), receive 100 KB with an output schema, and a picture of
480 KB. Agents (Claude Code, Gemini CLI, Codex, opencode) talk to a scripted model; as they shorten long results and scale pictures themselves, it
counts that the beginning of the text, or where it was saved, and some picture reach the model.

| client | ${stepNames.join(' | ')} |
|---|${stepNames.map(() => '---|').join('')}
${clients.map(clientRow).join('\n')}

${reasons(clients).join('\n')}
`;
}

function serverRow({ name, package: spec, counts, differences, failure }: ServerResult): string {
  const outcome =
    failure !== undefined ? 'not comparable' : differences.length === 0 ? 'equal' : `${differences.length} differences`;
  const { tools = 0, prompts = 0, resources = 0, requests = 0 } = counts ?? {};
  return `| ${name} | \`${spec}\` | ${tools} | ${prompts} | ${resources} | ${requests} | ${outcome} |`;
}

function clientRow({ name, package: spec, steps }: ClientResult): string {
  const version = spec === undefined ? '' : ` (\`${spec}\`)`;
  return `| ${name}${version} | ${stepNames.map((step) => mark(steps[step])).join(' | ')} |`;
}

function reasons(clients: readonly ClientResult[]): string[] {
  return clients.flatMap(({ name, steps }) => {
    const parts = stepNames.flatMap((step) => {
      const outcome = steps[step];
      return outcome.kind === 'unable' ? [`${step}: ${outcome.reason}`] : [];
    });
    return parts.length === 0 ? [] : [`- ${name}, n/a: ${parts.join('; ')}.`];
  });
}

function mark({ kind }: StepOutcome): string {
  return { ok: 'ok', unable: 'n/a', failed: 'FAILED' }[kind];
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').slice(0, 160);
}

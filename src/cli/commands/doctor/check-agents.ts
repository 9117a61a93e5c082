import type { AgentEntry } from '../../../config/entries/agent-entry.ts';
import type { Configuration } from '../../../config/configuration.ts';
import { openVault } from '../../../host/secrets/open-vault.ts';
import { messageOf } from '../../../core/errors.ts';
import { hasSdk, inspectInstallation, sdkPackage } from '../../../runtimes/claude/shared/installation.ts';
import { ModelUnusableError, chooseModel } from '../../../runtimes/model/providers/choose-model.ts';
import { resolvedProviders } from '../../../host/box/configured-agents.ts';
import { EntryReferences, type ReferenceSource } from '../../../host/secrets/entry-references.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

type ClaudeEntry = Exclude<AgentEntry, { runtime: 'model' }>;
type ModelEntry = Extract<AgentEntry, { runtime: 'model' }>;

const installClaude = `put claude on the PATH, name it as "executable", or npm install ${sdkPackage}`;

/** Checks the packages, programs and keys that the agents of the configuration need. Calls no model. */
export async function checkAgents({ agents, file }: Configuration, data: string): Promise<Finding[]> {
  const source: ReferenceSource = { file, vault: openVault(data), addSecret: () => undefined };
  const findings = agents.entries.map(async (entry): Promise<Finding> => {
    const about = `agent "${entry.name}" (${[entry.runtime, entry.model].filter((part) => part !== undefined).join(', ')})`;
    try {
      const found = entry.runtime === 'model' ? await checkModel(entry, source) : await checkClaude(entry, source);
      return { ...found, what: `${about} ${found.what}` };
    } catch (error) {
      // The message of an unresolved reference has its location; that of a missing secret also has the command.
      const fix = /; run (signalbox [^;]+)/.exec(messageOf(error))?.[1] ?? `set it, or correct agents.${entry.name}`;
      return problem(`${about} cannot be used: ${messageOf(error)}`, fix);
    }
  });
  return Promise.all(findings);
}

async function checkModel(entry: ModelEntry, source: ReferenceSource): Promise<Finding> {
  const providers = await resolvedProviders(entry, source);
  try {
    await chooseModel(entry.model, providers);
    return ok('can be used');
  } catch (error) {
    if (!(error instanceof ModelUnusableError)) throw error;
    return problem(`cannot be used: ${error.problem}`, error.fix);
  }
}

async function checkClaude(entry: ClaudeEntry, source: ReferenceSource): Promise<Finding> {
  if (entry.runtime === 'claude' && !hasSdk())
    return problem('needs the Claude Agent SDK, which is not installed', `npm install ${sdkPackage}`);
  const references = new EntryReferences(['agents', entry.name], source);
  const env = await references.resolveSecrets(entry.env ?? {}, 'env');
  references.assertResolved();
  const { executable } = entry;
  const found = await inspectInstallation({ env, ...(executable === undefined ? {} : { executable }) }).catch(
    (error: unknown) => new Error(messageOf(error).split('\n')[0]),
  );
  if (found === undefined) return problem('cannot find Claude Code', installClaude);
  if (found instanceof Error) return problem(`cannot run Claude Code: ${found.message}`, installClaude);
  const { version, signedInBy } = found;
  if (signedInBy !== undefined) return ok(`runs Claude Code ${version}, signed in by ${shortPath(signedInBy)}`);
  return warning(
    `runs Claude Code ${version}, and has no API key and no sign-in`,
    `set ANTHROPIC_API_KEY, or name it in agents.${entry.name}.env, or sign in with claude /login`,
  );
}

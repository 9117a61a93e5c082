import { renderName } from '../catalog/names.ts';
import { recordedName } from '../journal/recorded-name.ts';
import type { Redactor } from '../journal/redaction.ts';
import type { CallOptions, Principal, ToolReference } from '../core/calls/call.ts';
import { newCallId } from '../core/identifiers.ts';
import { normalizeName } from '../core/text/normalize-name.ts';
import type { ToolId } from '../core/tools/tool.ts';
import type { ExternalRun } from './begin-call.ts';
import type { Call } from './call.ts';

/** Who asks when nobody is named. */
const someone: Principal = { id: 'local', kind: 'agent' };

/** A call at the head of the pipeline. */
export function newCall(
  reference: ToolReference,
  given: unknown,
  options: CallOptions,
  redactor: Redactor,
  externalRun?: ExternalRun,
): Call {
  const { session } = options;
  return {
    id: newCallId(),
    name: typeof reference === 'string' ? reference : nameOf(reference),
    given,
    pinned: options.definitionHash,
    principal: normalPrincipal(options.principal ?? someone),
    session: session === undefined ? undefined : recordedName(redactor, session) || undefined,
    options,
    deadline: options.deadline === undefined ? undefined : Number(options.deadline),
    startedAt: Date.now(),
    externalRun,
    tool: undefined,
    arguments: undefined,
    image: {},
    argumentsText: '{}',
    givenText: undefined,
    decision: undefined,
    countedBy: undefined,
    counted: undefined,
    approval: undefined,
    told: undefined,
    replaces: undefined,
    wanted: undefined,
    replacedBy: undefined,
    claim: undefined,
    cached: false,
    running: undefined,
    stateChanges: undefined,
    changes: undefined,
    started: false,
    intent: undefined,
    claimed: undefined,
    attempts: 0,
    broken: false,
    costUsd: undefined,
    known: undefined,
    recordedArguments: undefined,
    durationMs: 0,
    isRecordedWhole: false,
  };
}

/** Names of tools by the ids in the catalog, which live as long as their tools. */
const names = new WeakMap<ToolId, string>();

function nameOf(id: ToolId): string {
  let name = names.get(id);
  if (name === undefined) names.set(id, (name = renderName(id).name));
  return name;
}

/** Not redacted, as sessions are: two principals must not become one because both names hold a secret. */
function normalPrincipal(principal: Principal): Principal {
  const id = normalizeName(principal.id, Number.POSITIVE_INFINITY);
  return id === principal.id ? principal : { ...principal, id };
}

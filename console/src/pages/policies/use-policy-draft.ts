import { useState } from 'react';
import type { Policies } from '../../api/schema.ts';

/** An edited policy and the version that it is based on. */
export interface PolicyDraft {
  readonly text: string;
  /** The text that it is based on. */
  readonly base: string;
  /** The fingerprint of the file that it is based on; absent without a file. */
  readonly fingerprint: string | undefined;
  readonly isChanged: boolean;
  /** Whether the file has since been changed outside this editor. */
  readonly isOutdated: boolean;
  write(text: string): void;
  /** Rebases on the current file, with the given text or that of the file. */
  restart(policies: Policies, text?: string): void;
}

interface StoredDraft {
  readonly text: string;
  readonly base: string;
  readonly fingerprint: string | undefined;
}

const place = 'signalbox:policy-draft';

export function usePolicyDraft(policies: Policies | undefined): PolicyDraft {
  const [state, setState] = useState(readStored);
  const keep = (next: StoredDraft): void => {
    // A draft survives navigation and a reload.
    if (next.text === next.base) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(next));
    setState(next);
  };
  const now =
    policies === undefined ? undefined : { text: policyText(policies), fingerprint: policies.file?.fingerprint };
  const isChanged = state !== undefined && state.text !== state.base;
  // An unchanged draft follows the file.
  const { text, base, fingerprint } = isChanged || now === undefined ? (state ?? empty) : { ...now, base: now.text };
  return {
    text,
    base,
    fingerprint,
    isChanged,
    isOutdated: isChanged && now !== undefined && now.text !== base,
    write: (next) => keep({ text: next, base, fingerprint }),
    restart: (found, next = policyText(found)) =>
      keep({ text: next, base: policyText(found), fingerprint: found.file?.fingerprint }),
  };
}

function readStored(): StoredDraft | undefined {
  const text = sessionStorage.getItem(place);
  return text === null ? undefined : (JSON.parse(text) as StoredDraft);
}

const empty: StoredDraft = { text: '', base: '', fingerprint: undefined };

/** Returns the text of the file, or without one the active rules as JSON, which is valid YAML. */
export function policyText({ file, rules }: Policies): string {
  if (file !== undefined) return file.text;
  return rules.map(({ rule }) => `- ${JSON.stringify(rule)}\n`).join('');
}

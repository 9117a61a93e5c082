import { useState } from 'react';
import type { Policies } from '../../api/schema.ts';

/** Rules that are being written, and what they were begun from. */
export interface Draft {
  readonly text: string;
  /** The text that it was begun from. */
  readonly base: string;
  /** The fingerprint of the file at that time; none where there is no file. */
  readonly seen: string | undefined;
  readonly isChanged: boolean;
  /** The file was changed by somebody else since. */
  readonly isOutdated: boolean;
  write(text: string): void;
  /** Begins again from what the file has now, with that text or the one of the file. */
  restart(policies: Policies, text?: string): void;
}

interface Kept {
  readonly text: string;
  readonly base: string;
  readonly seen: string | undefined;
}

const place = 'signalbox:policy-draft';

export function useDraft(policies: Policies | undefined): Draft {
  const [state, setState] = useState(readKept);
  const keep = (next: Kept): void => {
    // What was written is not lost by looking at a call, or by loading the page again.
    if (next.text === next.base) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(next));
    setState(next);
  };
  const now = policies === undefined ? undefined : { text: textOf(policies), seen: policies.file?.fingerprint };
  const isChanged = state !== undefined && state.text !== state.base;
  // As long as nothing was written it is the file.
  const { text, base, seen } = isChanged || now === undefined ? (state ?? empty) : { ...now, base: now.text };
  return {
    text,
    base,
    seen,
    isChanged,
    isOutdated: isChanged && now !== undefined && now.text !== base,
    write: (next) => keep({ text: next, base, seen }),
    restart: (found, next = textOf(found)) => keep({ text: next, base: textOf(found), seen: found.file?.fingerprint }),
  };
}

function readKept(): Kept | undefined {
  const text = sessionStorage.getItem(place);
  return text === null ? undefined : (JSON.parse(text) as Kept);
}

const empty: Kept = { text: '', base: '', seen: undefined };

/** The file as it is, or the rules in force as text: JSON is YAML too. */
export function textOf({ file, rules }: Policies): string {
  if (file !== undefined) return file.text;
  return rules.map(({ rule }) => `- ${JSON.stringify(rule)}\n`).join('');
}

import { createRequire } from 'node:module';

type Kind = 'same' | 'removed' | 'added';

interface Run {
  readonly kind: Kind;
  readonly text: string;
}

const require = createRequire(import.meta.url);
/** Texts that differ in more words are shown as fully replaced. */
const maxEdits = 2000;
const contextLength = 40;

/** Returns the difference of two texts word by word: `Reads [-a file-]{+any file+}`. */
export function wordDiff(before: string, after: string): string {
  // Loaded for the first difference: most starts have none.
  const { diffArrays } = require('diff') as typeof import('diff');
  const changes = diffArrays(words(before), words(after), { maxEditLength: maxEdits });
  const steps: readonly Run[] = changes?.map(({ value, added, removed }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value.join(''),
  })) ?? [
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ];
  const runs = joinAcrossSpaces(steps);
  return runs.map((run, index) => formatRun(run, index === 0, index === runs.length - 1)).join('');
}

function words(text: string): string[] {
  return text.match(/\S+|\s+/g) ?? [];
}

/** Merges neighboring changes that are separated only by white space. */
function joinAcrossSpaces(steps: readonly Run[]): Run[] {
  const runs: Run[] = [];
  let pending = { same: '', removed: '', added: '' };
  const flush = (): void => {
    for (const kind of ['removed', 'added', 'same'] as const)
      if (pending[kind] !== '') runs.push({ kind, text: pending[kind] });
    pending = { same: '', removed: '', added: '' };
  };
  for (const { kind, text } of steps) {
    if (kind !== 'same' && pending.same !== '') {
      const { same, removed, added } = pending;
      const isGap = removed !== '' && added !== '' && same.trim() === '';
      if (isGap) pending = { same: '', removed: removed + same, added: added + same };
      else flush();
    }
    pending[kind] += text;
  }
  flush();
  return runs;
}

function formatRun({ kind, text }: Run, isFirst: boolean, isLast: boolean): string {
  const visible = text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  if (kind === 'removed') return `[-${visible}-]`;
  if (kind === 'added') return `{+${visible}+}`;
  const head = isFirst ? '' : visible.slice(0, contextLength);
  const tail = isLast ? '' : visible.slice(-contextLength);
  return head.length + tail.length < visible.length ? `${head}…${tail}` : visible;
}

type Kind = 'same' | 'lost' | 'gained';

interface Run {
  readonly kind: Kind;
  readonly text: string;
}

const most = 1_000_000;
const context = 40;

/** What changed from one text to the other, word by word: `Reads [-a file-]{+any file+}`. */
export function wordDiff(before: string, after: string): string {
  const steps: Run[] = [];
  const add = (kind: Kind, text: string): void => void steps.push({ kind, text });
  const [lost, gained] = [words(before), words(after)];
  const start = sameAtStart(lost, gained);
  const end = sameAtStart(lost.slice(start).toReversed(), gained.slice(start).toReversed());
  for (const word of lost.slice(0, start)) add('same', word);
  compare(lost.slice(start, lost.length - end), gained.slice(start, gained.length - end), add);
  for (const word of lost.slice(lost.length - end)) add('same', word);
  const runs = joined(steps);
  return runs.map((run, index) => shown(run, index === 0, index === runs.length - 1)).join('');
}

function words(text: string): string[] {
  return text.match(/\S+|\s+/g) ?? [];
}

/** Puts together what belongs together: the space between two changed words counts as changed. */
function joined(steps: readonly Run[]): Run[] {
  const runs: Run[] = [];
  let pending = { same: '', lost: '', gained: '' };
  const flush = (): void => {
    for (const kind of ['lost', 'gained', 'same'] as const)
      if (pending[kind] !== '') runs.push({ kind, text: pending[kind] });
    pending = { same: '', lost: '', gained: '' };
  };
  for (const { kind, text } of steps) {
    if (kind !== 'same' && pending.same !== '') {
      const isGap = pending.lost !== '' && pending.gained !== '' && pending.same.trim() === '';
      if (isGap) pending = { same: '', lost: pending.lost + pending.same, gained: pending.gained + pending.same };
      else flush();
    }
    pending[kind] += text;
  }
  flush();
  return runs;
}

function sameAtStart(a: readonly string[], b: readonly string[]): number {
  const different = a.findIndex((word, index) => word !== b[index]);
  return different === -1 ? a.length : different;
}

/** The longest common subsequence, for texts short enough; of others everything has changed. */
function compare(before: readonly string[], after: readonly string[], add: (kind: Kind, text: string) => void): void {
  if (before.length * after.length > most) {
    add('lost', before.join(''));
    add('gained', after.join(''));
    return;
  }
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [lost, gained] = [before[row], after[column]];
    if (lost !== undefined && lost === gained) {
      add('same', lost);
      row += 1;
      column += 1;
    } else if (lost !== undefined && (gained === undefined || at(row + 1, column) >= at(row, column + 1))) {
      add('lost', lost);
      row += 1;
    } else if (gained !== undefined) {
      add('gained', gained);
      column += 1;
    }
  }
}

function shown({ kind, text }: Run, isFirst: boolean, isLast: boolean): string {
  const visible = text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  if (kind === 'lost') return `[-${visible}-]`;
  if (kind === 'gained') return `{+${visible}+}`;
  const head = isFirst ? '' : visible.slice(0, context);
  const tail = isLast ? '' : visible.slice(-context);
  return head.length + tail.length < visible.length ? `${head}…${tail}` : visible;
}

import type { InstructionsDiff, ServerDiff, ToolDiff } from '../../../catalog/lock/diff-lock.ts';
import { printable } from '../../terminal/escape.ts';
import type { Printer } from '../../terminal/terminal.ts';

/** Formats the changes of a server as indented lines. */
export function diffLines({ instructions, tools }: ServerDiff, { colors }: Printer): string[] {
  return [
    ...(instructions === undefined ? [] : instructionLines(instructions, colors)),
    ...tools.flatMap((tool) => toolLines(tool, colors)),
  ];
}

function instructionLines({ kind, text }: InstructionsDiff, colors: Printer['colors']): string[] {
  return [`  ${colors.yellow('~')} its instructions were ${kind}`, `      ${printable(text).replaceAll('\n', '\\n')}`];
}

function toolLines(diff: ToolDiff, colors: Printer['colors']): string[] {
  const name = printable(diff.tool).replaceAll('\n', '\\n');
  switch (diff.kind) {
    case 'added':
      return [
        `  ${colors.green('+')} ${name} ${colors.dim('(new)')}`,
        ...diff.suspicions.map((suspicion) => `      ${colors.red(printable(`${suspicion} ⚠ suspicious`))}`),
      ];
    case 'removed':
      return [`  ${colors.red('-')} ${name} ${colors.dim('(gone)')}`];
    case 'changed':
      return [
        `  ${colors.yellow('~')} ${name}`,
        ...diff.differences.map(({ text, weaker }) => {
          const line = printable(text).replaceAll('\n', '\\n');
          return `      ${weaker ? colors.red(line) : line}`;
        }),
      ];
  }
}

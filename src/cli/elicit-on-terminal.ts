import type { QuestionOptions, Elicitation, ElicitationAnswer } from '../core/calls/call-client.ts';
import type { JsonValue } from '../core/json/json.ts';
import { type FormField, fieldsOf } from './form-field.ts';
import { oneLine, printable } from './printable.ts';
import { question, yesOrNo } from './question.ts';
import type { Terminal } from './terminal.ts';

/** Asks the human at the terminal what a tool wants to know: field by field, or to visit a page. Ctrl-D cancels. */
export function elicitOnTerminal(
  terminal: Terminal,
  onInterrupt: () => void,
): (request: Elicitation, asking: QuestionOptions) => Promise<ElicitationAnswer> {
  const { errors } = terminal;
  return async (request, { signal }) => {
    const ask = (text: string): Promise<string | undefined> => question(terminal, text, { signal, onInterrupt });
    const { colors } = errors;
    await errors.print(`${colors.bold(colors.yellow('the tool asks'))} ${printable(request.message)}\n`);
    if (request.mode === 'url') {
      await errors.print(`  ${oneLine(request.url)}\n  on ${colors.bold(new URL(request.url).host)}\n`);
      const hasOpened = await yesOrNo(terminal, 'Have you opened it?', { signal, onInterrupt });
      return { action: hasOpened === undefined ? 'cancel' : hasOpened ? 'accept' : 'decline' };
    }
    const fields = fieldsOf(request.requestedSchema);
    const names = fields.map(({ label }) => oneLine(label)).join(', ');
    if (names !== '') await errors.print(`  asks for: ${names}\n`);
    const isWilling = await yesOrNo(terminal, 'Answer now, field by field?', { signal, onInterrupt });
    if (isWilling !== true) return { action: isWilling === undefined ? 'cancel' : 'decline' };
    const content: Record<string, JsonValue> = {};
    for (const field of fields) {
      const given = await fill(field, terminal, ask);
      if (given === undefined) return { action: 'cancel' };
      if (given.value !== undefined) content[field.name] = given.value;
    }
    return { action: 'accept', content };
  };
}

/** What the human typed, until it fits; without a value when the field stays empty; `undefined` when the input ended. */
async function fill(
  field: FormField,
  { errors }: Terminal,
  ask: (text: string) => Promise<string | undefined>,
): Promise<{ readonly value?: JsonValue } | undefined> {
  const { colors } = errors;
  const { label, description, choices, isRequired, usual } = field;
  if (description !== undefined) await errors.print(`  ${colors.dim(printable(description))}\n`);
  for (const [index, choice] of choices.entries()) await errors.print(`  ${index + 1}. ${oneLine(choice.label)}\n`);
  const preset = usual === undefined ? (isRequired ? '' : ', may stay empty') : `, default ${JSON.stringify(usual)}`;
  for (;;) {
    const text = await ask(`  ${oneLine(label)} (${oneLine(field.kind)}${oneLine(preset)}): `);
    if (text === undefined) return undefined;
    if (text === '' && usual !== undefined) return { value: usual };
    if (text === '' && !isRequired) return {};
    const read = field.read(text);
    if ('value' in read) return read;
    await errors.print(`  ${colors.red(oneLine(read.problem))}\n`);
  }
}

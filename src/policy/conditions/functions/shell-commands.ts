import { createRequire } from 'node:module';
import type { SyntaxNode, Word, WordPart } from 'unbash';

const require = createRequire(import.meta.url);
/** Loaded on first use, because the parser has 300 KB and few policies need it. */
const loadParser = (): typeof import('unbash') => require('unbash') as typeof import('unbash');

/** One command of a shell text, as `shell(x).commands` lists it. */
export class ShellCommand {
  /** The command's name as written, without quotes. Empty for an assignment, a loop, or a name that the shell computes. */
  readonly name: string;
  /** The name and the arguments. A word that the shell computes is as written. */
  readonly words: readonly string[];
  /** Whether every POSIX shell takes all words literally: no variables, substitutions, patterns, braces or `$'…'`. */
  readonly isLiteral: boolean;

  constructor(name: string, words: readonly string[], isLiteral: boolean) {
    this.name = name;
    this.words = words;
    this.isLiteral = isLiteral;
  }
}

/** The result of `shell(x)`. */
export class ShellScript {
  readonly commands: readonly ShellCommand[];
  /**
   * Whether a command runs, or may run, inside a word: `$(…)`, backticks, `<(…)`, `${x@P}`, `$((x))`, also in here-documents, or the text
   * has a construct that a POSIX shell reads differently, such as `$'…'` and `&>`.
   */
  readonly hasSubstitution: boolean;

  constructor(commands: readonly ShellCommand[], hasSubstitution: boolean) {
    this.commands = commands;
    this.hasSubstitution = hasSubstitution;
  }
}

export const maxShellLength = 16 * 1024;
/** The maximum nesting of `sh -c "sh -c …"`. */
const maxScriptDepth = 4;
const shells = new Set(['sh', 'bash', 'dash', 'ksh', 'zsh', 'ash']);
const scriptOption = /^[-+][a-zA-Z]*c/;
/** An option of a shell that takes no word. */
const plainShellOption =
  /^(?:[-+](?![a-zA-Z]*[oO])[a-zA-Z]+|--(?:login|noediting|noprofile|norc|posix|restricted|verbose))$/;
/** Matches `${name}`. Every other form can contain words, assign, or evaluate a value as code: `${x:='…'}`, `${x@P}`, `${a[x]}`, `${!x}`. */
const plainParameter = /^\$\{\w+\}$/;
/** Operators whose operands Bash evaluates as arithmetic, which runs `$(…)` in a subscript, even in the value of a variable. */
const arithmeticTests = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-v', '-R']);
const plainDelimiter = /^(?:[\w.-]+|'[\w.-]+'|"[\w.-]+"|\\[\w.-]+)$/;
/** A line continuation inside a token or at the beginning of a line, where the parser and Bash can differ. */
const unclearContinuation = /(?:^|[^ ])\\\n/;
const unescapedExpansion = /`|\$[\w{([\\]/;
const openers = /[({[`]|<</g;

/**
 * Returns an upper bound for the work of parsing a text. The parser scans a text again for each level of nesting, up to
 * its limit of 256, and again for each unclosed brace.
 */
export function shellWork(text: string): number {
  const nesting = text.match(openers)?.length ?? 0;
  return text.length * (100 + Math.min(nesting, 256) * 8 + nesting * 0.5);
}

/**
 * Parses a text as Bash does and lists every command in it: in pipelines, lists, loops, functions, subshells and substitutions, and in
 * literal texts that are passed to `eval` and `sh -c`. Assignments, redirections, loops and tests are commands too, so that a rule about
 * all commands covers them. A construct that may run hidden commands, or that a POSIX shell such as dash reads differently, counts as a
 * substitution and as a command without a name.
 * Throws when the text cannot be parsed.
 */
export function parseShell(text: string): ShellScript {
  const collector = new CommandCollector();
  collector.script(text, 0);
  return new ShellScript(collector.commands, collector.hasSubstitution);
}

class CommandCollector {
  readonly commands: ShellCommand[] = [];
  hasSubstitution = false;

  script(text: string, depth: number): void {
    if (text.length > maxShellLength) throw new Error(`the shell text has more than ${maxShellLength} characters`);
    if (text.includes('\0')) throw new Error('the shell text contains a NUL character');
    if (depth > maxScriptDepth)
      throw new Error(`the shell text nests "sh -c" or eval more than ${maxScriptDepth} levels deep`);
    if (unclearContinuation.test(text)) this.#addUnclear(text);
    this.#visit(loadParser().parse(text), text, depth);
  }

  #visit(node: SyntaxNode, source: string, depth: number): void {
    const text = node.type === 'Script' ? (node.source ?? source) : source;
    assertParsed(node);
    if (node.type === 'Command') this.#command(node, depth);
    else if (isSubstitution(node)) this.hasSubstitution = true;
    else if (node.type === 'HereString' || (node.type === 'Redirect' && !isHarmless(node)))
      this.#add(node.operator, [node.operator, ...literalValues([node.target])], [node.target]);
    else if (node.type === 'TestCommand') this.#add('[[', ['[[', text.slice(node.pos, node.end)], undefined);
    else if (node.type === 'ArithmeticCommand' || node.type === 'ArithmeticFor')
      this.#add('((', ['((', text.slice(node.pos, node.end)], undefined);
    else if (isDefinition(node)) this.#add('', [node.type.toLowerCase(), ...literalValues([node.name])], undefined);
    if (isUnclear(node) || isExtension(node) || isSubscriptedDescriptor(node, text))
      this.#addUnclear(text.slice(node.pos, node.end));
    loadParser().forEachChild(node, (child) => this.#visit(child, text, depth));
  }

  #command(node: Extract<SyntaxNode, { type: 'Command' }>, depth: number): void {
    for (const each of node.prefix) if (each.type === 'Assignment') this.#add('', [each.text], undefined);
    if (node.name === undefined) return;
    const args = node.args.map((each) => (each.type === 'Word' ? each : toAssignmentWord(each.text)));
    const words = [node.name, ...args];
    const name = isLiteralWord(node.name) ? node.name.value : '';
    this.#add(name, literalValues(words), words);
    if (name === 'let') this.#addUnclear('let');
    const inner = scriptIn(name, args);
    if (inner === 'unclear') this.#addUnclear(literalValues(words).join(' '));
    else if (inner !== undefined) this.script(inner.text, depth + 1);
  }

  #addUnclear(text: string): void {
    this.hasSubstitution = true;
    this.#add('', [text], undefined);
  }

  #add(name: string, words: readonly string[], from: readonly (Word | undefined)[] | undefined): void {
    const literal = from?.every((word) => word === undefined || isPosixLiteralWord(word)) ?? false;
    this.commands.push(new ShellCommand(name, words, literal));
  }
}

type Substitution = Extract<
  SyntaxNode,
  { type: 'CommandExpansion' | 'ProcessSubstitution' | 'ArithmeticCommandExpansion' }
>;

function isSubstitution(node: SyntaxNode): node is Substitution {
  const { type } = node;
  return type === 'CommandExpansion' || type === 'ProcessSubstitution' || type === 'ArithmeticCommandExpansion';
}

/** Nodes that are always unclear: arithmetic can run commands in subscripts, and a descriptor variable is set. */
const alwaysUnclear: ReadonlySet<SyntaxNode['type']> = new Set([
  'ArithmeticExpansion',
  'ArithmeticCommand',
  'ArithmeticFor',
  'FileDescriptorVariable',
]);

type Definition = Extract<SyntaxNode, { type: 'For' | 'Select' | 'Coproc' | 'Function' }>;

/** Returns whether a node sets a variable or a function, which can change what later commands run: `for PATH in …`. */
function isDefinition(node: SyntaxNode): node is Definition {
  const { type } = node;
  return type === 'For' || type === 'Select' || type === 'Coproc' || type === 'Function';
}

/** Bash syntax that a POSIX shell reads as other words or other commands. */
const extensions: ReadonlySet<SyntaxNode['type']> = new Set([
  'AnsiCQuoted',
  'LocaleString',
  'BraceExpansion',
  'ExtendedGlob',
  'HereString',
  'Time',
  'Coproc',
  'Select',
  'TestCommand',
  'ArrayValue',
  'ProcessSubstitution',
]);

/** Returns whether a POSIX shell reads a node differently from Bash: dash runs `git &>x y` as `git` in the background, and then `y`. */
function isExtension(node: SyntaxNode): boolean {
  const { type } = node;
  if (extensions.has(type)) return true;
  if (type === 'Pipeline') return node.operators.includes('|&');
  if (type === 'Assignment') return node.append === true;
  if (type === 'CaseItem') return node.terminator !== undefined && node.terminator !== ';;';
  if (type !== 'Redirect') return false;
  const { operator, target, descriptor } = node;
  // A POSIX shell reads two digits as a word.
  if (descriptor?.type === 'FileDescriptor' && descriptor.value > 9) return true;
  if (operator === '&>' || operator === '&>>') return true;
  return (operator === '>&' || operator === '<&') && !/^(?:\d|-)$/.test(target?.text ?? '');
}

/** Returns whether Bash may run commands or set variables in a node in ways that its child nodes do not show. */
function isUnclear(node: SyntaxNode): boolean {
  const { type } = node;
  if (alwaysUnclear.has(type)) return true;
  if (type === 'ParameterExpansion') return !plainParameter.test(node.text);
  if (type === 'TestUnary' || type === 'TestBinary') return arithmeticTests.has(node.operator);
  if (type === 'Assignment') return node.index !== undefined;
  if (type === 'Case') return ![node.word, ...node.items.flatMap(({ pattern }) => pattern)].every(isLiteralWord);
  if (type === 'HereDoc') return isUnclearHereDocument(node);
  if (type === 'Word') return node.parts === undefined && hasUnescapedExpansion(node.text);
  return type === 'Literal' && hasUnescapedExpansion(node.text);
}

/** Returns whether a node is the descriptor of a redirection, `{a[x]}>file`, which the parser reads as a word. */
function isSubscriptedDescriptor(node: SyntaxNode, source: string): boolean {
  return node.type === 'Word' && node.text.startsWith('{') && /[<>]/.test(source.charAt(node.end));
}

/** Returns whether a here-document is unclear. Quotes are ordinary characters in an expanding one, so every expansion in it is unclear. */
function isUnclearHereDocument({ delimiter, body, closing }: Extract<SyntaxNode, { type: 'HereDoc' }>): boolean {
  if (delimiter === undefined || closing === undefined || !plainDelimiter.test(delimiter.text)) return true;
  return !delimiter.quoted && /[$`]|\\\n/.test(body.text);
}

/** Returns whether a text that the parser takes literally contains an expansion nevertheless. */
function hasUnescapedExpansion(text: string): boolean {
  return unescapedExpansion.test(text.replaceAll(/\\[^\n]/g, ''));
}

/** Throws for a node that the parser did not understand, because the parser continues after an error. */
function assertParsed(node: SyntaxNode): void {
  if (node.type === 'Script') {
    const [error] = node.errors ?? [];
    if (error !== undefined) throw new Error(`the shell text cannot be parsed: ${error.message} (at ${error.pos})`);
  }
  if (isSubstitution(node) && node.script === undefined)
    throw new Error('a substitution in the shell text cannot be parsed');
  if (node.type === 'ArithmeticExpansion' && node.expression === undefined && /[^\s$()[\]]/.test(node.text))
    throw new Error('an arithmetic expression in the shell text cannot be parsed');
  if (node.type === 'ParameterExpansion' && node.operation?.type === 'Unknown')
    throw new Error(`the shell text has an unknown expansion: ${node.text}`);
}

/** Returns the word that the command receives for an assignment such as `export A=b`, whose value the shell computes. */
function toAssignmentWord(text: string): Word {
  const part = { type: 'SimpleExpansion', pos: 0, end: text.length, text } as const;
  return { type: 'Word', text, value: text, pos: 0, end: text.length, parts: [part] };
}

/** Returns the text that a command runs as a script; "unclear" when the script cannot be determined. */
function scriptIn(name: string, args: readonly Word[]): { readonly text: string } | 'unclear' | undefined {
  if (name === 'eval') {
    if (!args.every(isLiteralWord)) return 'unclear';
    const texts = args.map(({ value }) => value);
    return { text: texts.slice(texts[0] === '--' ? 1 : 0).join(' ') };
  }
  if (!shells.has(name.slice(name.lastIndexOf('/') + 1))) return undefined;
  // Without -c the shell runs a file or its input, which rules match by the name of the shell.
  if (!args.some((word) => !isLiteralWord(word) || scriptOption.test(word.value))) return undefined;
  return optionScript(args) ?? 'unclear';
}

/** Returns the script behind `-c`. Some options take a word that is not the script: `bash -c -o errexit 'git log'`. */
function optionScript(args: readonly Word[]): { readonly text: string } | undefined {
  let hasOption = false;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index];
    if (word === undefined || !isLiteralWord(word)) return undefined;
    const isEnd = word.value === '--' || word.value === '-';
    const operand = isEnd ? args[index + 1] : word;
    if (isEnd || !/^[-+]/.test(word.value))
      return hasOption && operand !== undefined && isLiteralWord(operand) ? { text: operand.value } : undefined;
    if (/^[-+][oO]$/.test(word.value)) index += 1;
    else if (!plainShellOption.test(word.value)) return undefined;
    else if (scriptOption.test(word.value)) hasOption = true;
  }
  return undefined;
}

/** Returns whether a redirection only duplicates a descriptor (`2>&1`), discards output or reads empty input. */
function isHarmless({ operator, target }: Extract<SyntaxNode, { type: 'Redirect' }>): boolean {
  if (target === undefined || !isLiteralWord(target)) return false;
  if (operator === '>&' || operator === '<&') return /^(?:\d|-)$/.test(target.text);
  if (operator === '&>' || operator === '&>>') return false;
  return target.value === '/dev/null';
}

function literalValues(words: readonly (Word | undefined)[]): readonly string[] {
  return words.flatMap((word) => (word === undefined ? [] : isLiteralWord(word) ? word.value : word.text));
}

/** Returns whether every POSIX shell reads a word as Bash does, without expanding anything in it. */
function isPosixLiteralWord(word: Word): boolean {
  const hasTilde = /[=:]~/.test(word.text);
  return isLiteralWord(word) && !hasTilde && (word.parts?.every(({ type }) => type !== 'AnsiCQuoted') ?? true);
}

/** Returns whether Bash takes a word literally. */
function isLiteralWord({ parts, value }: Word): boolean {
  return !value.startsWith('~') && (parts?.every(isLiteralPart) ?? true);
}

function isLiteralPart(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every(({ type }) => type === 'Literal');
  return part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted';
}

import { type Token, Lexer } from 'marked';

/** The maximum length of a text that is parsed. Models rarely write more in one message. */
const maxLength = 100_000;
/** Long runs of one marker, which take quadratic time to parse, and quotes so deep that rendering them exceeds the stack. */
const markerRun = /([*_~`[\]<!-])\1{300}|(?:> ?){100}/;
const linkProtocols: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/**
 * Parses Markdown. The text may still be streaming: an unclosed block extends to its end. A text that cannot be parsed, or that is
 * made to be slow to parse, is one plain text.
 */
export function parseMarkdown(text: string): readonly Token[] {
  if (text.length <= maxLength && !markerRun.test(text)) {
    try {
      return new Lexer({ gfm: true }).lex(text);
    } catch (error) {
      // Deep nesting exceeds the stack.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return [{ type: 'text', raw: text, text }];
}

/** Returns the target of a link if a browser may open it: other protocols run scripts or act in this origin. */
export function linkTarget(address: string): URL | undefined {
  const target = URL.canParse(address) ? new URL(address) : undefined;
  return target !== undefined && linkProtocols.has(target.protocol) ? target : undefined;
}

import type { ImportedSecrets } from './imported-secrets.ts';

/** A server of another client, converted to an entry of `mcpServers`. */
export interface ImportedEntry {
  readonly type?: 'http' | 'sse';
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: { readonly type: 'bearer'; readonly token: string };
  readonly timeoutMs?: number;
  readonly tools?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  readonly disabled?: true;
}

/** The permission of a tool in a client: run without asking, ask each time, or refuse. `*` matches any part of a name. */
export interface ToolPermission {
  readonly tool: string;
  readonly answer: 'allow' | 'ask' | 'deny';
}

/** A permission that is not part of a server's entry. It has the client's name of the tool. */
export interface NamedPermission {
  readonly name: string;
  readonly answer: ToolPermission['answer'];
}

/** A server in the file of another client. */
export interface ClientServer {
  /** The client's name for the server. */
  readonly name: string;
  readonly line: number;
  readonly entry: ImportedEntry;
  /** Settings that were changed or not imported. */
  readonly notes: readonly string[];
  readonly permissions?: readonly ToolPermission[];
}

/** A server that cannot be imported. */
export interface SkippedServer {
  readonly name: string;
  readonly line: number;
  readonly reason: string;
}

/** The reason why a file cannot be read, with the line. */
export interface FileProblem {
  readonly line: number;
  readonly message: string;
}

/** The content of one client file. */
export interface ClientReading {
  readonly servers: readonly ClientServer[];
  readonly skipped: readonly SkippedServer[];
  readonly problems: readonly FileProblem[];
  readonly permissions?: readonly NamedPermission[];
}

/** The file that is read, and its environment. */
export interface ImportContext {
  readonly file: string;
  readonly home: string;
  /** The directory of the project. */
  readonly directory: string;
  /** Names the secrets that references replace. */
  readonly secrets: ImportedSecrets;
  /** Sets all line numbers to 0, because finding them takes longer than everything else. */
  readonly withoutLines?: boolean;
}

/** Reads the text of one client's file. Never throws. */
export type ReadClient = (text: string, context: ImportContext) => ClientReading;

import type { ImportedSecrets } from './imported-secrets.ts';

/** A server of another client, in the shape of our own entries. */
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

/** What a client does about a tool: runs it without asking, asks each time, or refuses it. `*` stands for any part of its name. */
export interface Permission {
  readonly tool: string;
  readonly answer: 'allow' | 'ask' | 'deny';
}

/** A permission that stands apart from its server, by the name that the client gives the tool. */
export interface NamedPermission {
  readonly name: string;
  readonly answer: Permission['answer'];
}

/** A server that stands in another client's file. */
export interface FoundServer {
  /** As the client calls it. */
  readonly name: string;
  readonly line: number;
  readonly entry: ImportedEntry;
  /** What had to be changed or left behind. */
  readonly notes: readonly string[];
  readonly permissions?: readonly Permission[];
}

/** A server that cannot be taken over. */
export interface SkippedServer {
  readonly name: string;
  readonly line: number;
  readonly reason: string;
}

/** A file that cannot be read, and where. */
export interface FileProblem {
  readonly line: number;
  readonly message: string;
}

/** Everything that was found in one file. */
export interface ClientReading {
  readonly servers: readonly FoundServer[];
  readonly skipped: readonly SkippedServer[];
  readonly problems: readonly FileProblem[];
  readonly permissions?: readonly NamedPermission[];
}

/** Where a file was found. */
export interface ImportContext {
  readonly file: string;
  readonly home: string;
  /** The directory of the project. */
  readonly directory: string;
  /** Names the secrets that references take the place of. */
  readonly secrets: ImportedSecrets;
  /** Leaves the lines at 0: finding them takes longer than all the rest. */
  readonly withoutLines?: boolean;
}

/** Reads the text of one client's file. Never throws. */
export type ReadClient = (text: string, context: ImportContext) => ClientReading;

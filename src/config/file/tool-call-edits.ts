import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SignalboxError } from '../../core/errors.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { replaceFile } from './atomic-file.ts';
import { editConfiguration } from './edit-configuration.ts';
import { parseJsonDocument } from './json-document.ts';
import { redactedDocument } from './redacted-document.ts';

/** What a call changed: the text of the file before and after, `null` where there was none. */
interface KeptEdit {
  readonly before: string | null;
  readonly after: string | null;
}

const keptForMs = 7 * 24 * 60 * 60 * 1000;

/** A configuration file that calls read and change, each change undone as a whole or not at all. */
export class ToolCallEdits {
  readonly #file: () => string;
  readonly #keptIn: string;
  readonly #redact: (text: string) => string;
  readonly #onEdit: (before: string | null, after: string | null) => void;

  /** `keptIn` is the directory for what is kept of each call; `redact` takes known secrets out of a JSON text; `onEdit` gets the text before and after each edit. */
  constructor(
    file: () => string,
    keptIn: string,
    redact: (text: string) => string,
    onEdit: (before: string | null, after: string | null) => void = () => undefined,
  ) {
    this.#file = file;
    this.#keptIn = keptIn;
    this.#redact = redact;
    this.#onEdit = onEdit;
  }

  get file(): string {
    return this.#file();
  }

  read(): JsonObject {
    const { value } = parseJsonDocument((textOf(this.file) ?? '{}').replace(/^\ufeff/, ''));
    if (!isJsonObject(value))
      throw new SignalboxError('setting-unknown', `${this.file} cannot be read as it is; see signalbox doctor`);
    return JSON.parse(this.#redact(JSON.stringify(redactedDocument(value)))) as JsonObject;
  }

  change(callId: string, path: readonly string[], value: JsonValue | undefined): void {
    const before = textOf(this.file);
    this.#forgetOld();
    this.#keep(callId, { before, after: before });
    // Kept before it is written, so that a process that dies in between leaves an undo behind.
    editConfiguration(this.file, [{ path, value }], (after) => {
      this.#keep(callId, { before, after });
      this.#onEdit(before, after);
    });
  }

  undo(callId: string, isUnfinished: boolean): void {
    const kept = textOf(this.#place(callId));
    if (kept === null && isUnfinished) return;
    if (kept === null) throw unavailable(`what ${this.file} was before ${callId} is kept no longer`);
    const { before, after } = JSON.parse(kept) as KeptEdit;
    const now = textOf(this.file);
    if (now === before) return;
    if (now !== after)
      throw unavailable(
        `${this.file} was changed since ${callId}, and is left as it is; change the setting back there`,
      );
    this.#onEdit(after, before);
    const target = realpathSync(this.file);
    if (before === null) rmSync(target);
    else replaceFile(target, before, statSync(target).mode);
  }

  #keep(callId: string, edit: KeptEdit): void {
    mkdirSync(this.#keptIn, { recursive: true, mode: 0o700 });
    replaceFile(this.#place(callId), JSON.stringify(edit), 0o600);
  }

  #place(callId: string): string {
    return join(this.#keptIn, `${callId}.json`);
  }

  #forgetOld(): void {
    if (!existsSync(this.#keptIn)) return;
    for (const name of readdirSync(this.#keptIn)) {
      const kept = join(this.#keptIn, name);
      if (statSync(kept).mtimeMs < Date.now() - keptForMs) rmSync(kept);
    }
  }
}

function textOf(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function unavailable(message: string): SignalboxError {
  return new SignalboxError('undo-unavailable', message);
}

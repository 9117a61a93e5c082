import { useMutation } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import type { CallResult, Tool } from '../../api/schema.ts';
import { type Field, firstValue, isObject, readField } from './field.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** A tool that is being tried: its arguments, and what came of the last call. */
export interface Tried {
  readonly field: Field;
  /** The arguments as JSON; the form reads and writes them too, so that both say the same. */
  readonly text: string;
  setText(text: string): void;
  readonly value: Arguments | undefined;
  /** Why the text cannot be sent. */
  readonly wrong: string | undefined;
  readonly isRunning: boolean;
  readonly startedAt: number;
  readonly result: CallResult | undefined;
  readonly error: Error | null;
  run(): void;
  /** Makes the last call again, exactly: it was answered. */
  goOn(): void;
  cancel(): void;
}

/** Calls through the pipeline, pinned to the definition that is being looked at. */
export function useTry({ name, inputSchema, definitionHash }: Tool): Tried {
  const field = useMemo(() => readField(inputSchema), [inputSchema]);
  const [text, setText] = useState(() => written(firstValue(field) ?? {}));
  const [isCancelled, setCancelled] = useState(false);
  const under = useRef<AbortController>(undefined);
  const call = useMutation({
    mutationFn: (args: Arguments) => {
      under.current = new AbortController();
      // What waits for an answer is asked about here, and called again then.
      const body = { arguments: args, definitionHash, waitSeconds: 0 };
      return api('POST /api/tools/{name}/call', { path: { name }, body, signal: under.current.signal });
    },
  });
  const read = useMemo(() => parsed(text), [text]);
  const run = (args: Arguments | undefined): void => {
    if (args === undefined) return;
    setCancelled(false);
    call.mutate(args);
  };
  return {
    field,
    text,
    setText,
    value: typeof read === 'string' ? undefined : read,
    wrong: typeof read === 'string' ? read : undefined,
    isRunning: call.isPending,
    startedAt: call.submittedAt,
    result: call.data,
    error: isCancelled ? null : call.error,
    run: () => run(typeof read === 'string' ? undefined : read),
    goOn: () => run(call.variables),
    cancel: () => {
      setCancelled(true);
      under.current?.abort();
    },
  };
}

export function written(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

function parsed(text: string): Arguments | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : 'Arguments are a JSON object: { … }';
  } catch (error) {
    return (error as Error).message;
  }
}

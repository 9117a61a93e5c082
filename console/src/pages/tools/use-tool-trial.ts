import { useMutation } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import type { CallResult, Tool } from '../../api/schema.ts';
import { type SchemaField, initialValue, isObject, parseSchemaField } from './schema-field.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** The state of trying a tool: its arguments and the last result. */
export interface ToolTrial {
  readonly field: SchemaField;
  /** The arguments as JSON. The form edits the same text. */
  readonly text: string;
  setText(text: string): void;
  readonly value: Arguments | undefined;
  /** The reason why the text is not valid; `undefined` if it is. */
  readonly invalidReason: string | undefined;
  readonly isRunning: boolean;
  readonly startedAt: number;
  readonly result: CallResult | undefined;
  readonly error: Error | null;
  run(): void;
  /** Repeats the last call exactly, after it was approved or denied. */
  repeat(): void;
  cancel(): void;
}

/** Calls a tool through the pipeline, pinned to the displayed definition. */
export function useToolTrial({ name, inputSchema, definitionHash }: Tool): ToolTrial {
  const field = useMemo(() => parseSchemaField(inputSchema), [inputSchema]);
  const [text, setText] = useState(() => formatArguments(initialValue(field) ?? {}));
  const [isCancelled, setCancelled] = useState(false);
  const controller = useRef<AbortController>(undefined);
  const call = useMutation({
    mutationFn: (args: Arguments) => {
      controller.current = new AbortController();
      // Do not wait for an approval: it is answered on this page, and the call is repeated.
      const body = { arguments: args, definitionHash, waitSeconds: 0 };
      return api('POST /api/tools/{name}/call', { path: { name }, body, signal: controller.current.signal });
    },
  });
  const parsed = useMemo(() => parseArguments(text), [text]);
  const run = (args: Arguments | undefined): void => {
    if (args === undefined) return;
    setCancelled(false);
    call.mutate(args);
  };
  return {
    field,
    text,
    setText,
    value: typeof parsed === 'string' ? undefined : parsed,
    invalidReason: typeof parsed === 'string' ? parsed : undefined,
    isRunning: call.isPending,
    startedAt: call.submittedAt,
    result: call.data,
    error: isCancelled ? null : call.error,
    run: () => run(typeof parsed === 'string' ? undefined : parsed),
    repeat: () => run(call.variables),
    cancel: () => {
      setCancelled(true);
      controller.current?.abort();
    },
  };
}

export function formatArguments(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

function parseArguments(text: string): Arguments | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : 'Arguments must be a JSON object: { … }';
  } catch (error) {
    return (error as Error).message;
  }
}

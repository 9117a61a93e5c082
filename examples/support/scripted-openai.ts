import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

type Answer =
  | { readonly text: string }
  | { readonly calls: readonly (readonly [name: string, jsonArguments: string])[] };

/** The part of a chat completion request that the examples check. */
interface ChatRequest {
  readonly tools?: readonly { readonly function: { readonly name: string; readonly strict?: boolean } }[];
}

/** A local service with the OpenAI chat API and scripted responses. */
export interface ScriptedOpenai {
  readonly url: string;
  readonly requests: readonly ChatRequest[];
  close(): Promise<void>;
}

/** Starts a service that sends these responses, one for each request. */
export async function scriptedOpenai(answers: readonly Answer[]): Promise<ScriptedOpenai> {
  const requests: ChatRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void json(incoming).then((request) => {
      const message = messageOf(answers[requests.push(request as ChatRequest) - 1] ?? { text: '' });
      const choice = {
        index: 0,
        message,
        finish_reason: 'tool_calls' in message ? 'tool_calls' : 'stop',
        logprobs: null,
      };
      outgoing
        .setHeader('content-type', 'application/json')
        .end(
          JSON.stringify({ id: 'chat_1', object: 'chat.completion', created: 0, model: 'scripted', choices: [choice] }),
        );
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function messageOf(answer: Answer): object {
  if ('text' in answer) return { role: 'assistant', content: answer.text, refusal: null };
  const calls = answer.calls.map(([name, given], index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: given },
  }));
  return { role: 'assistant', content: null, refusal: null, tool_calls: calls };
}

import type { Section } from './requirement.ts';

/** D. Agents and sessions */
export const agentsAndSessions: Section<'D'> = {
  D1: {
    promise: 'Claude sessions through the Agent SDK: tools in every query, resume, fork, interrupt',
    tests: [],
  },
  D2: {
    promise: 'the permission callback covers built-in and mounted tools alike; built-in calls are journaled',
    tests: [],
  },
  D3: {
    promise: '`claude-cli` speaks the CLI’s control protocol and passes the same suite as the SDK runtime',
    tests: [],
  },
  D4: {
    promise: 'sessions with any model through the AI SDK; the demo model needs no key',
    tests: [
      'src/runtimes/model/model-runtime.test.ts > runtime model, in this process > runs a call through the pipeline, tells it step by step, and shows the model its result',
      'src/runtimes/model/model-runtime.test.ts > runtime model, Anthropic messages > runs a call through the pipeline, tells it step by step, and shows the model its result',
      'src/runtimes/model/model-runtime.test.ts > runtime model, OpenAI responses > runs a call through the pipeline, tells it step by step, and shows the model its result',
      'src/runtimes/model/model-runtime.test.ts > runtime model, OpenAI chat > runs a call through the pipeline, tells it step by step, and shows the model its result',
      'src/runtimes/model/model-runtime.test.ts > runtime model, OpenAI-compatible > runs a call through the pipeline, tells it step by step, and shows the model its result',
      'src/runtimes/model/model-runtime.test.ts > runtime model, Gemini > runs a call through the pipeline, tells it step by step, and shows the model its result',
      'src/runtimes/model/model-runtime.test.ts > runtime model, Anthropic messages > a changed catalog is seen',
      'src/runtimes/model/model-runtime.test.ts > runtime model, OpenAI responses > a changed catalog is seen',
      'src/runtimes/model/model-runtime.test.ts > runtime model, Gemini > a changed catalog is seen',
      'src/runtimes/model/model-runtime.test.ts > runtime model, Anthropic messages > the next turn remembers what was said and has the tools',
      'src/runtimes/model/model-runtime.test.ts > runtime model, Anthropic messages > a fork goes on from the memory and leaves it as it was',
      'src/runtimes/model/on-the-wire.test.ts > what reaches the provider > options of a tool reach the provider they are for',
      'src/runtimes/model/turn-limits.test.ts > a turn ends at its limits, and says which > steps',
      'src/runtimes/model/turn-limits.test.ts > a turn ends at its limits, and says which > cost, where the provider tells it',
      'src/runtimes/model/turn-limits.test.ts > a turn ends at its limits, and says which > time, in the middle of a call',
      'src/runtimes/model/demo/demo-model.test.ts > the demo model > pings the server, without a key',
      'src/runtimes/model/demo/demo-model.test.ts > the demo model > leads through a read, a write that can be undone, and a call that always asks',
      'src/runtimes/model/models.test.ts > packages > the demo model needs none of the optional ones, and the AI SDK is loaded with the first turn',
    ],
    missing: 'the model runtime behind sessions: so far turns are run by the runtime alone',
  },
  D5: {
    promise: 'tool formats for Anthropic, OpenAI and Gemini, there and back',
    tests: [],
  },
  D6: {
    promise: 'sessions are listed, created, renamed, deleted and expire; Claude’s transcripts are its own files',
    tests: [],
  },
  D7: {
    promise: 'HTTP and SSE: a dropped client resumes without gap or duplicate; several clients see the same',
    tests: [],
  },
  D8: {
    promise: 'cron schedules survive a restart and never run twice',
    tests: [],
  },
  D9: {
    promise: 'server health is in `session_status`',
    tests: [],
  },
  D10: {
    promise: 'tool search only where it saves tokens, with the measured break-even',
    tests: [],
  },
};

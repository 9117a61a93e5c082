import type { Section } from './requirement.ts';

/** D. Agents and sessions */
export const agentsAndSessions: Section<'D'> = {
  D1: {
    promise: 'Claude sessions through the Agent SDK: tools in every query, resume, fork, interrupt',
    tests: [
      'test/e2e/claude-agent-options.test.ts > claudeAgentOptions > gives Claude the tools of the box under their names; calls run through the pipeline, images included',
      'test/e2e/claude-agent-options.test.ts > claudeAgentOptions > two queries at once both have all tools, and the next query sees a changed catalog',
    ],
    missing: 'sessions: resume, fork, interrupt, model choice',
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
      'src/surfaces/ai-sdk/ai-sdk-tools.test.ts > tools of the AI SDK > execute through the box: recorded, with session and principal, and the whole result in the step',
      'src/surfaces/ai-sdk/ai-sdk-tools.test.ts > tools of the AI SDK > read again before each step show a catalog that changed in between',
      'src/surfaces/ai-sdk/ai-sdk-tools.test.ts > tools of the AI SDK > are written for a provider where one is named, and carry its options',
    ],
    missing: 'the model runtime behind sessions: so far turns are run by the runtime alone',
  },
  D5: {
    promise: 'tool formats for Anthropic, OpenAI and Gemini, there and back',
    tests: [
      'src/surfaces/providers/providers.test.ts > the way back from Anthropic > the calls of an answer run through the pipeline, all at once, and come back as tool_result blocks in order',
      'src/surfaces/providers/providers.test.ts > the way back from Anthropic > what did not complete is an error: denied, failed, unknown tool, wrong arguments',
      'src/surfaces/providers/providers.test.ts > the way back from OpenAI > tool_calls of a chat come back as messages of role tool; what cannot be shown is named',
      'src/surfaces/providers/providers.test.ts > the way back from OpenAI > function_call items of a response come back as function_call_output, with images and documents',
      'src/surfaces/providers/providers.test.ts > the way back from OpenAI > in strict mode a model writes null for what it leaves out, and the tool does not see it',
      'src/surfaces/providers/providers.test.ts > the way back from Gemini > functionCall parts come back as functionResponse parts, media inside or beside',
      'src/surfaces/providers/providers.test.ts > the tools of a provider > are pinned: one that has changed since it was listed is stale, and does not run',
      'src/surfaces/providers/dialects.test.ts > a schema for a provider > comes of any JSON Schema at all: never a throw, always an object at the root, always JSON',
      'src/surfaces/providers/dialects.test.ts > a schema for a provider > accepts what the original accepts; and nothing else, unless there is a warning',
      'src/surfaces/providers/schema/strict-schema.test.ts > a schema in strict form > accepts what the original accepts, with null for what is left out, and gives it back as it was',
      'src/surfaces/providers/names.test.ts > the names a provider is told > are valid and unique for any tools, the same every time, and unchanged where they fit',
      'src/surfaces/ai-sdk/wire.test.ts > on the wire > Anthropic: tools and results are those that its package sends',
      'src/surfaces/ai-sdk/wire.test.ts > on the wire > OpenAI, responses: tools and results are those that its package sends',
      'src/surfaces/ai-sdk/wire.test.ts > on the wire > Gemini: tools are those that its package sends, and results have the same place',
    ],
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

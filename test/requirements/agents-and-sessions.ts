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
    tests: [],
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

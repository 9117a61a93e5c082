import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { root } from '../support/command.ts';
import { sendRawRequest } from '../support/http/http-server.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { type CliServer, CliProject, waitForExit, waitForOutput, notesProject } from './cli-project.ts';

const directory = join(root, 'docs', 'operations');
const textOf = (name: string): string => readFileSync(join(directory, name), 'utf8');

type Tree = Readonly<Record<string, unknown>>;
const documentsIn = (name: string): Tree[] =>
  parseAllDocuments(textOf(name)).map((document) => {
    assert.deepEqual(document.errors, [], name);
    return document.toJS() as Tree;
  });

/** Returns every value with this key in a tree. */
function valuesOf(tree: unknown, key: string): unknown[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const found = Object.hasOwn(tree, key) ? [(tree as Tree)[key]] : [];
  return [...found, ...Object.values(tree).flatMap((child) => valuesOf(child, key))];
}

const token = 'a-token-that-is-long-enough';
const project = new CliProject(notesProject);
let server: CliServer;
const authorization = `Bearer ${token}`;

before(async () => {
  server = await project.serve({ SIGNALBOX_TOKEN: token });
});
after(() => server.stop());

suite('dashboard and alerts', () => {
  test('name only metrics, labels and outcomes that /metrics of a running server has', async () => {
    const response = await fetch(new URL('/api/tools/mcp__notes__list/call', server.url), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{"arguments":{}}',
    });
    assert.equal(response.status, 200);
    const metrics = await (await fetch(new URL('/metrics', server.url), { headers: { authorization } })).text();
    const labelsOf = new Map<string, Set<string>>([['up', new Set()]]);
    for (const [, name = '', labels = ''] of metrics.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? /gm)) {
      const set = labelsOf.get(name) ?? new Set();
      for (const [, label = ''] of labels.matchAll(/([a-z_]+)="/g)) set.add(label);
      labelsOf.set(name, set);
    }
    const dashboard = JSON.parse(textOf('grafana-dashboard.json')) as Tree;
    const expressions = [
      ...valuesOf(dashboard, 'expr'),
      ...documentsIn('alerts.yaml').flatMap((alerts) => valuesOf(alerts, 'expr')),
    ];
    assert.ok(expressions.length > 20);
    const outcomes = new Set(['completed', 'failed', 'denied', 'timed-out', 'cancelled', 'stale', 'unknown']);
    for (const expression of expressions.map(String)) {
      const used = [...expression.matchAll(/\b(up|(?:signalbox|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)];
      assert.ok(used.length > 0, expression);
      for (const [, name = '', matchers = ''] of used) {
        const labels = labelsOf.get(name);
        assert.ok(labels !== undefined, `${name} is not a metric of the server: ${expression}`);
        for (const [, label = '', values = ''] of matchers.matchAll(/([a-z_]+)=~?"([^"]*)"/g)) {
          assert.ok(label === 'job' || labels.has(label), `${name} has no label ${label}`);
          if (label === 'outcome') for (const value of values.split('|')) assert.ok(outcomes.has(value), value);
        }
        for (const [, by = ''] of expression.matchAll(/by \(([^)]*)\)/g))
          for (const label of by.split(', ')) assert.ok(labels.has(label), `${name} has no label ${label}`);
      }
    }
  });
});

const isServe = (words: unknown): words is string[] => Array.isArray(words) && words[0] === 'serve';
const ownAddresses = Object.values(networkInterfaces()).flatMap((all) =>
  (all ?? []).filter(({ family }) => family === 'IPv4').map(({ address }) => address),
);

/** Starts a server with the arguments of a manifest, on a free port and without the wait before it stops. */
async function startServer(words: readonly string[], store: string, stops: (() => Promise<void>)[]): Promise<number> {
  const child = new CliProject(notesProject).start(
    [...words.filter((word) => !/^--(port|drain-seconds)=/.test(word)), '--port', '0', '--json'],
    { SIGNALBOX_TOKEN: token, SIGNALBOX_STORE: store },
  );
  const exited = waitForExit(child);
  stops.push(async () => {
    child.kill('SIGTERM');
    assert.equal((await exited).code, 0);
  });
  return (JSON.parse(await waitForOutput(child.stdout, /\n/)) as { port: number }).port;
}

suite('files for Compose and Kubernetes', () => {
  const trees = [...documentsIn('compose.yaml'), ...documentsIn('kubernetes.yaml')];

  test('use existing options and variables', async () => {
    const { stdout: help } = await project.run(['serve', '--help']);
    const dockerfile = textOf('Dockerfile');
    const commands = [
      ...trees.flatMap((tree) => [...valuesOf(tree, 'args'), ...valuesOf(tree, 'command')]),
      JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? '') as string[],
    ].filter(isServe);
    assert.ok(commands.length >= 4);
    for (const words of commands)
      for (const word of words.filter((each) => each.startsWith('--')))
        assert.match(help, new RegExp(`^ +${word.split('=')[0]} `, 'm'), `serve has no ${word}`);
    const written = [textOf('compose.yaml'), textOf('kubernetes.yaml'), dockerfile].join('\n');
    const variables = new Set(written.match(/\bSIGNALBOX_[A-Z_]+/g));
    const source = ['cli', 'host']
      .map((folder) => join(root, 'src', folder))
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
          .map((name) => readFileSync(join(folder, name), 'utf8')),
      )
      .join('\n');
    assert.deepEqual(
      [...variables].filter((name) => !source.includes(`'${name}'`)),
      [],
      'variables that nothing reads',
    );
  });

  test('start as written, and are probed at an address or a name that they accept', async (t) => {
    const [, healthUri = ''] = /health_uri (\S+)/.exec(textOf('compose.yaml')) ?? [];
    const [, healthHost = ''] = /health_headers \{\s+Host (\S+)/.exec(textOf('compose.yaml')) ?? [];
    const composed = {
      words: valuesOf(trees[0], 'command').find(isServe) ?? [],
      paths: [healthUri],
      hostsAt: () => [healthHost],
    };
    const pods = trees
      .flatMap((tree) => valuesOf(tree, 'containers'))
      .flatMap((containers) => containers as Tree[])
      .map((container) => ({
        words: valuesOf(container, 'args').find(isServe) ?? [],
        paths: valuesOf(container, 'httpGet').map((probe) => String((probe as Tree)['path'])),
        // A kubelet uses the address of the pod, which is one of the machine's own addresses.
        hostsAt: (port: number) => ownAddresses.map((address) => `${address}:${port}`),
      }));
    assert.deepEqual(
      pods.map(({ words }) => words[1]),
      ['--role=web', '--role=worker'],
    );
    const cluster = await startPostgres();
    const stops: (() => Promise<void>)[] = [];
    t.after(async () => {
      await Promise.all(stops.map((stop) => stop()));
      await cluster.end();
    });
    await Promise.all(
      [composed, ...pods].map(async ({ words, paths, hostsAt }) => {
        const port = await startServer(words, cluster.address('operations'), stops);
        assert.ok(paths.length > 0);
        for (const path of paths)
          for (const host of hostsAt(port)) {
            const response = await sendRawRequest({ port }, path, { headers: { host } });
            assert.equal(response.status, 200, `${words.join(' ')}: ${host}${path}`);
          }
        const otherHost = await sendRawRequest({ port }, '/api/health/live', {
          headers: { host: `signalbox:${port}` },
        });
        assert.equal(otherHost.status, 421);
      }),
    );
  });

  test('contain a valid configuration and valid rules', async () => {
    const [compose] = documentsIn('compose.yaml');
    const own = documentsIn('kubernetes.yaml').find(({ kind }) => kind === 'ConfigMap')?.['data'] as Record<
      string,
      string
    >;
    const composed = (valuesOf(compose, 'content') as string[])
      .find((text) => text.startsWith('{'))
      ?.replaceAll('$$', '$');
    for (const files of [own, { 'signalbox.config.json': composed ?? '' }]) {
      const kubernetesProject = new CliProject();
      for (const [name, text] of Object.entries(files)) writeFileSync(join(kubernetesProject.directory, name), text);
      const checked = await kubernetesProject.run(['policy', 'check']);
      assert.equal(checked.code, 0, checked.stdout + checked.stderr);
    }
  });
});

// The command line as a process of its own.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const CLI = fileURLToPath(new URL('../cli.mjs', import.meta.url));

function run(t, ...args) {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (data) => (output[name] += data));
  return { child, output, closed: once(child, 'close').then(([code]) => code) };
}

test('starts, names itself a simulator, answers, and ends cleanly on Ctrl-C', async (t) => {
  const { child, output, closed } = run(t, '--port', '0');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const [, url] = /^Toolgate SIMULATOR \(no model, no provider\) on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line);
  assert.equal((await (await fetch(`${url}/healthz`)).json()).scenario, 'default');
  child.kill('SIGINT');
  assert.equal(await closed, 0);
  assert.match(output.stdout, /Toolgate SIMULATOR stopped/);
});

test('usage errors and broken scenarios end with a message and a code, without a stack', async (t) => {
  const cases = [
    [['--port', 'x'], 2, /--port `x` must be a number from 0 to 65535/],
    [['--prot', '1'], 2, /Unknown option '--prot'/],
    [['--scenario', 'nowhere.json'], 1, /scenario `nowhere\.json` cannot be used/],
  ];
  for (const [args, code, message] of cases) {
    const { output, closed } = run(t, ...args);
    assert.equal(await closed, code);
    assert.match(output.stderr, message);
    assert.doesNotMatch(output.stderr, /\n {4}at /);
  }
});

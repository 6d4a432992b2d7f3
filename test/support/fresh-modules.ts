import { afterAll, vi } from 'vitest';

// Test files share processes, because loading packages takes longer than most tests. Each file loads the modules of this
// repository itself, whose services are created once from the environment, and leaves the environment as it found it.
vi.resetModules();
// A gateway that another file started in this process added Lambda's global for streamed responses.
Reflect.deleteProperty(globalThis, 'awslambda');
const environment = { ...process.env };
afterAll(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
});

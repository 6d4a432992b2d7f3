import { withFastTimers } from './captured-run.ts';
import { runOperator, settings } from './operator-command.ts';
import { target, type World } from './world.ts';

/** Runs a `knowledge` command, whose waiting takes no seconds. Timeouts of the table pass as fast. */
export const knowledge = (args: string[]) =>
  withFastTimers(() =>
    runOperator({ ...settings, TABLE_TIMEOUT_SECONDS: '600' }, [
      'knowledge',
      ...args,
      ...(args.includes('--base-url') ? [] : ['--base-url', target.baseUrl]),
    ]),
  );

/** Uploads files, and reads the result as JSON. */
export const upload = async (world: World, files: string[], ...more: string[]) => {
  const { code, stdout, stderr } = await knowledge([
    'upload',
    ...files,
    '--agent-id',
    world.agentId,
    '--json',
    ...more,
  ]);
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any answer
  return { code, stderr, files: (stdout ? JSON.parse(stdout).files : []) as any[] };
};

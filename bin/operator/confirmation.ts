import { say } from '../command-line/output.ts';

/** Reports that a command without `--yes` has changed nothing. */
export const sayUnconfirmed = (done: 'deleted' | 'erased' | 'changed') =>
  say(`Nothing was ${done}. Add --yes to do it.`);

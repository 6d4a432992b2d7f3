import { say } from '../command-line/output.ts';

/** Says that a command without `--yes` has only shown what it would do. */
export const sayUnconfirmed = (done: 'deleted' | 'erased' | 'changed') =>
  say(`Nothing was ${done}. Add --yes to do it.`);

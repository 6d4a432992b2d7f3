import { beforeEach } from 'vitest';
import { isTried } from '../support/sample.ts';

beforeEach(({ task, skip }) =>
  skip((task.tags ?? []).includes('heavy') && !isTried(task.fullName), 'not in this sample'),
);

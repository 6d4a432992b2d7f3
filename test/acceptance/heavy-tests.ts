import { beforeEach } from 'vitest';
import { isTried, isUnsampled } from '../support/sample.ts';

beforeEach(({ task, skip }) => {
  const isSampled = (task.tags ?? []).includes('heavy') && !isUnsampled(task.file.name);
  skip(isSampled && !isTried(task.fullName), 'not in this sample');
});

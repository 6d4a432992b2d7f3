import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What reads the whole table, which grows with every test. */
const scans = /stored\.ts'|'(?:restore|smoke)'|'user', '(?:list|delete)'/;

/** Runs the test files that read the whole table while it is small, and of the others the longest first. */
export class ScansFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isScan = ({ moduleId }: TestSpecification) => scans.test(readFileSync(moduleId, 'utf8'));
    return [...sorted.filter(isScan), ...sorted.filter((file) => !isScan(file))];
  }
}

// Prints how many tests passed and how many failed: `node count.mjs FOLDER NAME=STATUS…`. FOLDER has vitest's reports,
// NAME….json, of commands that ended with STATUS. A command that failed without a failed test, or that left neither a
// report nor its reason (NAME….txt), counts as one failure, because its result is unknown. Failures are named here
// again, because thousands of lines may separate them from the end.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const [folder, ...commands] = process.argv.slice(2);
const files = readdirSync(folder);
let passed = 0;
let failed = 0;

const tell = (path, test, message) =>
  console.error(
    `FAILED ${relative(process.cwd(), path)}: ${test}\n  ${message.slice(0, 2000).replaceAll('\n', '\n  ')}`,
  );

for (const command of commands) {
  const [name, status] = command.split('=');
  const own = files.filter((file) => file.startsWith(name));
  let failedHere = 0;
  for (const file of own.filter((one) => one.endsWith('.json'))) {
    try {
      const report = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      passed += report.numPassedTests;
      for (const { name: path, status: outcome, message, assertionResults } of report.testResults) {
        const tests = assertionResults.filter((test) => test.status === 'failed');
        for (const test of tests) tell(path, test.fullName, test.failureMessages.join('\n'));
        // A file that could not be loaded has no tests to fail.
        const unloaded = outcome === 'failed' && tests.length === 0;
        if (unloaded) tell(path, 'not loaded', message);
        failedHere += tests.length + (unloaded ? 1 : 0);
      }
    } catch (error) {
      console.error(`${file} is no report: ${error.message}`);
      failedHere += 1;
    }
  }
  if (own.length === 0) console.error(`${name} left no report.`);
  else if (failedHere === 0 && status !== '0')
    console.error(`${name} ended with ${status}, and none of its tests failed.`);
  failed += failedHere === 0 && (own.length === 0 || status !== '0') ? 1 : failedHere;
}

console.log(`${passed} ${failed}`);

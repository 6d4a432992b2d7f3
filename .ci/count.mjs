// Prints how many tests passed and how many failed: `node count.mjs FOLDER NAME=STATUS…`. FOLDER has vitest's reports,
// NAME….json, of commands that ended with STATUS. A command that failed without a test that did, or that left neither a
// report nor its reason (NAME….txt), counts as one that failed: nobody knows what it would have told.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, ...commands] = process.argv.slice(2);
const files = readdirSync(folder);
let passed = 0;
let failed = 0;

for (const command of commands) {
  const [name, status] = command.split('=');
  const own = files.filter((file) => file.startsWith(name));
  let failedHere = 0;
  for (const file of own.filter((one) => one.endsWith('.json'))) {
    try {
      const report = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      passed += report.numPassedTests;
      // A file that could not be loaded has no tests to fail.
      const unloaded = report.testResults.filter(
        (one) => one.status === 'failed' && !one.assertionResults.some((test) => test.status === 'failed'),
      );
      failedHere += report.numFailedTests + unloaded.length;
    } catch (error) {
      console.error(`${file} is no report: ${error.message}`);
      failedHere += 1;
    }
  }
  if (own.length === 0) console.error(`${name} left no report.`);
  failed += failedHere === 0 && (own.length === 0 || status !== '0') ? 1 : failedHere;
}

console.log(`${passed} ${failed}`);

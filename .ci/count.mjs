// Prints how many tests passed and how many failed: `node count.mjs FOLDER NAME=STATUS…`. FOLDER has vitest's reports,
// NAME….json, of commands that ended with STATUS. A command that failed without a failed test, or that left neither a
// report nor its reason (NAME….txt), counts as one failure, because its result is unknown. Failures are named here
// again, because thousands of lines may separate them from the end. The seconds of each command (NAME.seconds: wall,
// user, system) and the slowest tests go to standard error.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const [folder, ...commands] = process.argv.slice(2);
const files = readdirSync(folder);
const slowestCount = 20;
const header = '     wall      CPU';
const tests = [];
let passed = 0;
let failed = 0;

const tell = (path, test, message) =>
  console.error(
    `FAILED ${relative(process.cwd(), path)}: ${test}\n  ${message.slice(0, 4000).replaceAll('\n', '\n  ')}`,
  );

/** Returns seconds as the column of a table. */
const column = (seconds) => (seconds === undefined ? '' : seconds.toFixed(1)).padStart(9);

for (const command of commands) {
  const [name, status] = command.split('=');
  const own = files.filter((file) => file.startsWith(name) && !file.endsWith('.seconds'));
  let failedHere = 0;
  for (const file of own.filter((one) => one.endsWith('.json'))) {
    try {
      const report = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      passed += report.numPassedTests;
      for (const { name: path, status: outcome, message, assertionResults } of report.testResults) {
        for (const { fullName, duration = 0, meta } of assertionResults)
          tests.push({ CPU: meta?.cpuSeconds, wall: duration / 1000, test: `${relative('.', path)}: ${fullName}` });
        const failures = assertionResults.filter((test) => test.status === 'failed');
        for (const test of failures) tell(path, test.fullName, test.failureMessages.join('\n'));
        // A file that could not be loaded has no tests to fail.
        const unloaded = outcome === 'failed' && failures.length === 0;
        if (unloaded) tell(path, 'not loaded', message);
        failedHere += failures.length + (unloaded ? 1 : 0);
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

console.error('\nSeconds of each part, with all of its processes:');
console.error(header);
for (const file of files.filter((one) => one.endsWith('.seconds'))) {
  const [wall, user, system] = readFileSync(join(folder, file), 'utf8').trim().split(' ').map(Number);
  console.error(`${column(wall)}${column(user + system)}  ${file.replace('.seconds', '')}`);
}
for (const measure of ['CPU', 'wall']) {
  console.error(`\nThe ${slowestCount} slowest tests by ${measure} (CPU of their own process, without the service):`);
  console.error(header);
  const slowest = tests.toSorted((a, b) => (b[measure] ?? 0) - (a[measure] ?? 0)).slice(0, slowestCount);
  for (const { wall, CPU, test } of slowest) console.error(`${column(wall)}${column(CPU)}  ${test}`);
}

console.log(`${passed} ${failed}`);

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { acknowledged } from '../../../lib/nag-suppressions.ts';
import { readSettings } from '../../../lib/settings.ts';
import { VoiceAgentsStack } from '../../../lib/voice-agents-stack.ts';
import { buildApp, production, required } from '../../support/deployment.ts';

type Report = {
  pluginReports: { pluginName: string; violations: { ruleName: string; violatingConstructs: Found[] }[] }[];
};
type Found = { constructPath: string };

/** Returns the findings of both packs that nothing acknowledges: the rule and the place. */
const openFindings = (context: Record<string, unknown>): string[] => {
  const app = buildApp({ ...context, '@aws-cdk/core:failSynthOnValidationErrors': false });
  new VoiceAgentsStack(app, readSettings(app.node.getAllContext()));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  const { directory } = app.synth();
  const report = JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8')) as Report;
  return report.pluginReports.flatMap(({ violations }) =>
    violations.flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    ),
  );
};

describe('cdk-nag', { timeout: 300_000 }, () => {
  it('cdk-nag finds nothing in production that is not acknowledged', () => {
    expect(openFindings(production)).toEqual([]);
  });

  it('cdk-nag finds in dev only what a domain, a web ACL and countries would fix', () => {
    expect(openFindings(required)).toEqual([
      'AwsSolutions-CFR1 voice-agents-dev/Edge/Distribution/Resource',
      'AwsSolutions-CFR2 voice-agents-dev/Edge/Distribution/Resource',
      'AwsSolutions-CFR4 voice-agents-dev/Edge/Distribution/Resource',
    ]);
  });

  it('findings of cdk-nag are acknowledged with a reason, five times at most', () => {
    expect(Object.keys(acknowledged).length).toBeLessThanOrEqual(5);
    for (const { reason } of Object.values(acknowledged)) expect(reason.length).toBeGreaterThan(80);
  });
});

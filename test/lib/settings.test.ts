import { describe, expect, it } from 'vitest';
import { readSettings, SettingsError } from '../../lib/settings.ts';
import { appWith, production, required } from '../support/deployment.ts';

const read = (context: Record<string, unknown>) => readSettings(appWith(context).node);

const mistakesIn = (context: Record<string, unknown>): string[] => {
  try {
    read(context);
  } catch (error) {
    if (error instanceof SettingsError) return error.mistakes;
    throw error;
  }
  return [];
};

describe('the settings', () => {
  it('need a stage and an origin, and nothing else', () => {
    expect(mistakesIn({})).toEqual([
      'stage is missing: say --context stage=dev, staging or prod.',
      'appOrigin is missing: say --context appOrigin=https://app.example.com, where your web application is.',
    ]);
    expect(read(required)).toEqual({
      stage: 'dev',
      appOrigin: 'https://app.example.com',
      chatModelId: 'global.anthropic.claude-haiku-4-5-20251001-v1:0',
      chatDailyTokens: 2_000_000,
      chatRatePerMinute: 30,
      chatConcurrency: 20,
      requestsPerSecond: 50,
      crawlTrustedOrigins: [],
      alarmEmail: undefined,
      edge: true,
      domain: undefined,
      webAclArn: undefined,
      allowedCountries: [],
      logDays: 14,
    });
  });

  it('are read from the command line, where everything is a text, and from cdk.json, where it is not', () => {
    expect(read({ ...required, edge: 'false', chatDailyTokens: '5000', logDays: '7' })).toMatchObject({
      edge: false,
      chatDailyTokens: 5000,
      logDays: 7,
    });
    expect(read({ ...required, edge: false, chatDailyTokens: 5000, allowedCountries: [] })).toMatchObject({
      edge: false,
      chatDailyTokens: 5000,
    });
    expect(read(production)).toMatchObject({
      domain: { name: 'api.example.com', certificateArn: production.certificateArn },
      allowedCountries: ['DE', 'FR'],
      requestsPerSecond: 500,
      logDays: 180,
    });
  });

  it('may leave the chat in the concurrency that everything shares', () => {
    expect(read({ ...required, chatConcurrency: 'shared' }).chatConcurrency).toBeUndefined();
  });

  it.each([
    ['stage', 'production', 'stage must be dev, staging or prod, and is "production".'],
    ['appOrigin', 'https://app.example.com/', /^appOrigin must be an origin as a browser spells it/],
    ['appOrigin', 'http://app.example.com', /^appOrigin must be an origin as a browser spells it/],
    ['appOrigin', '*', /^appOrigin must be an origin as a browser spells it/],
    ['chatModelId', 'a model', /^chatModelId must be the id or the ARN of a model/],
    ['chatDailyTokens', '0', 'chatDailyTokens must be a whole number from 1 to 1,000,000,000, and is "0".'],
    ['chatRatePerMinute', 'many', /^chatRatePerMinute must be a whole number/],
    ['chatConcurrency', '1.5', /^chatConcurrency must be a whole number/],
    ['requestsPerSecond', '-1', /^requestsPerSecond must be a whole number/],
    ['crawlTrustedOrigins', 'intranet', /^crawlTrustedOrigins must be origins joined by commas/],
    ['alarmEmail', 'nobody', 'alarmEmail must be an e-mail address, and is "nobody".'],
    ['edge', 'no', 'edge must be true or false, and is "no".'],
    ['webAclArn', 'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/a/b', /^webAclArn must be the ARN of a global/],
    ['allowedCountries', 'Germany', /^allowedCountries must be country codes/],
    ['logDays', '10', /^logDays must be one of 1, 3, 5, 7, 14,/],
  ])('refuse %s=%s in one sentence', (name, value, sentence) => {
    expect(mistakesIn({ ...required, [name]: value })).toEqual([
      typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
    ]);
  });

  it('refuse a certificate of another region, which CloudFront could not use', () => {
    const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/0f2a';
    expect(mistakesIn({ ...required, domainName: 'api.example.com', certificateArn })).toEqual([
      expect.stringMatching(/^certificateArn must be the ARN of a certificate in us-east-1/),
    ]);
  });

  it('refuse a domain without a certificate, and the edge’s settings without the edge', () => {
    expect(mistakesIn({ ...required, domainName: 'api.example.com' })).toEqual([
      'domainName and certificateArn go together: give both or neither.',
    ]);
    expect(mistakesIn({ ...required, edge: 'false', allowedCountries: 'DE', webAclArn: production.webAclArn })).toEqual(
      [
        'webAclArn belongs to the edge: it cannot be given with edge=false.',
        'allowedCountries belongs to the edge: it cannot be given with edge=false.',
      ],
    );
  });

  it('refuse a name that is none, and guess the one that is meant', () => {
    const [mistake] = mistakesIn({ ...required, alarmemail: 'operator@example.com' });
    expect(mistake).toMatch(/^There is no setting alarmemail: alarmEmail is meant\. There are: stage, appOrigin,/);
  });

  it('tell all mistakes at once', () => {
    expect(mistakesIn({ stage: 'x', appOrigin: 'y', edge: 'z' })).toHaveLength(3);
  });
});

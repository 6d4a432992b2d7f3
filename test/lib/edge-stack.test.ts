import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import {
  type Deployment,
  everySetting,
  findFunction,
  getDeployment,
  inProduction,
  type Json,
  listFunctions,
  noEdge,
} from '../support/deployment.ts';

const dev = getDeployment();
const prod = getDeployment(inProduction);
const configured = getDeployment(everySetting);
const withoutEdge = getDeployment(noEdge);

const findDistribution = (deployment: Deployment) =>
  deployment.all('AWS::CloudFront::Distribution')[0]?.properties.DistributionConfig as Json;

it('the edge forwards every method and header, caches nothing of the API and the chat, and waits for them longer than they may take', () => {
  const { DefaultCacheBehavior, CacheBehaviors, Origins } = findDistribution(dev);
  const isCached = ({ PathPattern }: Json) => /^\/(assets|\.well-known)\//.test(PathPattern);
  for (const behavior of [DefaultCacheBehavior, ...CacheBehaviors].filter((one) => !isCached(one))) {
    expect(behavior).toMatchObject({
      // AWS's own CachingDisabled and AllViewerExceptHostHeader.
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
      OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
    });
    expect(behavior.AllowedMethods).toHaveLength(7);
  }
  for (const { CustomOriginConfig } of Origins) expect(CustomOriginConfig).toMatchObject({ OriginReadTimeout: 60 });
});

it('the edge keeps no log, which would have the path and the query of each request', () => {
  const { WebACLId, Logging } = findDistribution(prod);
  expect([typeof WebACLId, Logging]).toEqual(['string', undefined]);
  const logging = /^AWS::(Logs::Delivery|WAFv2::LoggingConfiguration|CloudFront::RealtimeLogConfig)/;
  const types = prod.resources.map(({ type }) => type);
  expect(types.filter((type) => logging.test(type))).toEqual([]);
});

it('the edge sends the caller’s address to the chat, even if the caller sends such a header', () => {
  const [rule] = findDistribution(dev).CacheBehaviors;
  const [association] = rule.FunctionAssociations;
  expect(association.EventType).toBe('viewer-request');
  const { FunctionCode } = dev.all('AWS::CloudFront::Function')[0]?.properties ?? {};
  const event = { request: { headers: { 'x-viewer-address': { value: 'mine' } } }, viewer: { ip: '198.51.100.7' } };
  const sent = runInNewContext(`${FunctionCode}; handler(event)`, { event });
  expect(sent.headers['x-viewer-address']).toEqual({ value: '198.51.100.7' });
  const header = findFunction(dev, 'buildChat').properties.Environment.Variables.CLIENT_ADDRESS_HEADER;
  expect(header).toBe('x-viewer-address');
  expect(findFunction(withoutEdge, 'buildChat').properties.Environment.Variables.CLIENT_ADDRESS_HEADER).toBeUndefined();
});

it('the edge keeps the metadata of OAuth for at most five minutes, and lets every page read it', () => {
  const rules = findDistribution(dev).CacheBehaviors.filter(({ PathPattern }: Json) =>
    PathPattern.startsWith('/.well-known/'),
  );
  expect(rules.map(({ PathPattern }: Json) => PathPattern).sort()).toEqual([
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/openid-configuration',
  ]);
  const [cache] = dev.all('AWS::CloudFront::CachePolicy');
  const headers = dev.all('AWS::CloudFront::ResponseHeadersPolicy')[0];
  expect(cache?.properties.CachePolicyConfig).toMatchObject({ MinTTL: 0, DefaultTTL: 0, MaxTTL: 300 });
  expect(headers?.properties.ResponseHeadersPolicyConfig.CorsConfig).toMatchObject({
    AccessControlAllowOrigins: { Items: ['*'] },
    OriginOverride: true,
  });
  for (const rule of rules) {
    expect(rule).toMatchObject({
      CachePolicyId: { Ref: cache?.logicalId },
      ResponseHeadersPolicyId: { Ref: headers?.logicalId },
    });
  }
});

it('the edge asks the API for the address of AI clients also when they add a slash to it', () => {
  const rule = findDistribution(dev).CacheBehaviors.find(({ PathPattern }: Json) => PathPattern === '/mcp/');
  const [{ EventType, FunctionARN }] = rule.FunctionAssociations;
  const [logicalId] = FunctionARN['Fn::GetAtt'];
  const { FunctionCode } =
    dev.resources.find((one) => one.part === 'Edge' && one.logicalId === logicalId)?.properties ?? {};
  const event = { request: { uri: '/mcp/', headers: {} } };
  expect([EventType, runInNewContext(`${FunctionCode}; handler(event)`, { event })]).toEqual([
    'viewer-request',
    { uri: '/mcp', headers: {} },
  ]);
});

it('the edge sends its origins a secret that every function asks for, and that no template contains', () => {
  const findSecrets = (value: Json) =>
    [...JSON.stringify(value).matchAll(/resolve:secretsmanager:"?[^}]*?EdgeSecret(\d+)/g)].map(
      ([, version]) => version,
    );
  const listVersions = (deployment: Deployment) => ({
    sent: findDistribution(deployment).Origins.map(({ OriginCustomHeaders }: Json) => {
      expect(OriginCustomHeaders).toHaveLength(1);
      expect(OriginCustomHeaders[0].HeaderName).toBe('x-origin-secret');
      return findSecrets(OriginCustomHeaders[0].HeaderValue);
    }),
    accepted: new Set(
      listFunctions(deployment).flatMap(({ properties: { Environment } }) =>
        // Functions that no request reaches know no secret.
        Environment.Variables.EDGE_SECRETS ? String(findSecrets(Environment.Variables.EDGE_SECRETS)) : [],
      ),
    ),
  });
  expect(listVersions(dev)).toEqual({ sent: [['1'], ['1']], accepted: new Set(['1']) });
  // While CloudFront changes the header, both are accepted.
  expect(listVersions(configured)).toEqual({ sent: [['3'], ['3']], accepted: new Set(['3,2']) });
  for (const { properties } of listFunctions(withoutEdge))
    expect(properties.Environment.Variables.EDGE_SECRETS).toBeUndefined();
  // The fifth one marks the requests of the service to itself, for which the secret of the edge serves otherwise.
  expect(withoutEdge.all('AWS::SecretsManager::Secret')).toHaveLength(5);
  for (const { properties } of listFunctions(dev))
    expect(properties.Environment?.Variables.CALLER_MARK_SECRET).toBeUndefined();
});

it('the edge can be switched off: then the API is the address', () => {
  expect(withoutEdge.all('AWS::CloudFront::Distribution')).toEqual([]);
  expect(findFunction(withoutEdge, 'servePages')).toBeUndefined();
  expect(withoutEdge.outputs.BaseUrl.Value).toEqual(withoutEdge.outputs.ApiUrl.Value);
});

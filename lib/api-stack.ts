import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { CorsHttpMethod, HttpApi, HttpMethod, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { functionTimeoutSeconds } from '../functions/domain/timeouts.ts';
import { cors } from '../functions/http/cors.ts';
import type { AnyEndpoint } from '../functions/http/endpoint.ts';
import { permissionsOf } from '../functions/http/permissions.ts';
import { pagesFunction } from './bundles.ts';
import type { DataStack } from './data-stack.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import { ServiceFunction } from './service-function.ts';
import { deploymentName, type Settings } from './settings.ts';

const memoryMegabytes = 512;

/** Every operation that is answered at once: the HTTP API, and a function for each route. */
export class ApiStack extends NamedNestedStack {
  readonly api: HttpApi;
  readonly stage: HttpStage;

  constructor(scope: Construct, id: string, endpoints: AnyEndpoint[], data: DataStack, settings: Settings) {
    super(scope, id);
    const name = deploymentName(settings);

    this.api = new HttpApi(this, 'Api', {
      apiName: name,
      createDefaultStage: false,
      corsPreflight: corsOf(settings),
    });
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      detailedMetricsEnabled: true,
      throttle: { rateLimit: settings.requestsPerSecond, burstLimit: 2 * settings.requestsPerSecond },
      accessLogSettings: {
        // A name under /aws/vendedlogs/ needs no line of its own in the account's log policy, which has room for few.
        destination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLog', {
            logGroupName: `/aws/vendedlogs/${name}-api`,
            retention: settings.logDays,
            removalPolicy: RemovalPolicy.DESTROY,
          }),
        ),
        format: accessLogFormat,
      },
    });

    for (const endpoint of endpoints) {
      const { lambda } = new ServiceFunction(this, data, settings, {
        name: endpoint.name,
        permissions: permissionsOf(endpoint),
        timeoutSeconds: functionTimeoutSeconds,
        memoryMegabytes,
      });
      this.api.addRoutes({
        path: endpoint.path,
        methods: [HttpMethod[endpoint.method]],
        integration: new HttpLambdaIntegration(endpoint.name, lambda),
      });
    }
    // They speak to the chat under their own address, which only the edge gives both.
    if (settings.edge) this.#addPages(data, settings);
    suppress(this, 'keys');
  }

  #addPages(data: DataStack, settings: Settings) {
    const { lambda } = new ServiceFunction(this, data, settings, {
      name: pagesFunction,
      permissions: [],
      timeoutSeconds: functionTimeoutSeconds,
      memoryMegabytes,
    });
    const integration = new HttpLambdaIntegration(pagesFunction, lambda);
    for (const path of pagePaths) this.api.addRoutes({ path, methods: [HttpMethod.GET], integration });
  }
}

/** Where the pages are, and what they are made of. */
export const pagePaths = ['/', '/docs', '/docs/{page}', '/llms.txt', '/assets/{file}'];

/** What a browser of the application's may send, and what its scripts may see. */
const corsOf = (settings: Settings) => ({
  allowOrigins: settings.appOrigins,
  allowMethods: cors.methods.map((method) => CorsHttpMethod[method]),
  allowHeaders: [...cors.requestHeaders],
  exposeHeaders: [...cors.responseHeaders],
  maxAge: Duration.seconds(cors.maxAgeSeconds),
});

/** The route, not the path: a path may hold a phone number. */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTimeEpoch',
    route: '$context.routeKey',
    status: '$context.status',
    milliseconds: '$context.responseLatency',
    integrationMilliseconds: '$context.integrationLatency',
    bytes: '$context.responseLength',
    error: '$context.error.messageString',
    integrationError: '$context.integrationErrorMessage',
    ip: '$context.identity.sourceIp',
    userAgent: '$context.identity.userAgent',
  }),
);

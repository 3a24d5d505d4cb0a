/** The series that an answer of GET /metrics names: a histogram has three. */
export function metricNames(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = "", type]) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  );
}

/** The metrics of this product and of Node that an expression of Prometheus asks for. */
export const metricsIn = (expression: string): string[] =>
  expression.match(/\b(?:asset_registry|process|nodejs)_\w+/g) ?? [];

/*---
grain = "one row per record of a sample: its class key and one level code per target"
reads = "records, samples (the numbers that were drawn)"
---*/
SELECT
    samples.sample AS sample, records.file AS file, records.record AS record,
    {%+ for limb in limbs %}records.{{ limb.name }} AS {{ limb.name }}, {% endfor %}{{ "" }}
    {%+ for target in targets %}records.{{ target.id }} AS {{ target.id }}{{ ", " if not loop.last }}{% endfor %}{{ "" }}
FROM {{ records }} AS records
JOIN {{ samples }} AS samples ON records.file = samples.file AND records.record = samples.record

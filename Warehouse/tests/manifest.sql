{# The tables have the numbers of rows and the sums of digests that the manifest of the newest load states. #}
{% set manifest = var('manifest') or {} %}
with differences as (
    select 'none' as name, cast(0 as bigint) as found, cast(0 as bigint) as stated, '0' as found_sum, '0' as stated_sum
    {% for table in manifest['tables'] or [] %}
    union all
    select
        '{{ table['name'] }}', count(*), cast({{ table['after']['rows'] }} as bigint),
        cast(coalesce(sum(cast(row_digest as decimal(38, 0))), 0) as text), '{{ table['after']['digestSum'] }}'
    from {{ source('subledger', table['name']) }}
    {% endfor %}
)

select * from differences where found <> stated or found_sum <> stated_sum

{# No row breaks the condition. A condition that is null does not hold in a row. #}
{% test satisfies(model, condition) %}
select *
from {{ model }}
where not coalesce({{ condition }}, false)
{% endtest %}
